// Shows a payment's status in the merchant's terms, and the next step.
import type { MerchantStatus } from "#core/model/merchant-status.ts";
import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";
import { StatusTag } from "../parts/tags.tsx";
import { merchantStatuses, nextSteps } from "./merchant-status-texts.ts";

type Escrow = Schemas["ConditionalPayment"]["data"];

/** `escrow` is null if the payment has none, and undefined while it is loading. */
type Props = { intent: Schemas["PaymentIntent"]; escrow: Escrow | null | undefined };

export function IntentTag({ intent }: Pick<Props, "intent">) {
  const words = useTexts(merchantStatuses);
  const { merchantStatus } = intent.data;
  return <StatusTag status={merchantStatus}>{words(merchantStatus)}</StatusTag>;
}

/** Whether the escrow holds the funds. The next step then depends on the order's terms and has a deadline. */
const isHeld = (status: MerchantStatus): status is "IN_ESCROW" | "SHIPPED" | "DISPUTED" =>
  status === "IN_ESCROW" || status === "SHIPPED" || status === "DISPUTED";

/** Returns when the next step is due, in Unix seconds. */
function findDueTime(status: MerchantStatus, escrow: Escrow): number {
  if (status === "DISPUTED") return Number(escrow.disputeRaisedAt) + Number(escrow.disputeWindow);
  return Number(escrow.timeLockUntil ?? escrow.deliveryDeadline);
}

export function NextStep({ intent, escrow }: Props) {
  const t = useTexts(nextSteps);
  const locale = useLocale();
  const status = intent.data.merchantStatus;
  const { expiresAt } = intent.data;
  if (!isHeld(status)) return <p className="soft">{t(status, { time: showMoment(expiresAt, locale) })}</p>;
  if (!escrow) return null;
  const { releaseType } = escrow;
  const isByTerms = releaseType === "MILESTONE_LOCKED" || releaseType === "TIME_LOCKED";
  const key = isByTerms && status !== "DISPUTED" ? releaseType : status;
  return <p className="soft">{t(key, { time: showMoment(findDueTime(status, escrow), locale) })}</p>;
}
