// A payment's status in the merchant's words, and what happens next.

import type { Schemas } from "#sdk/index.ts";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showMoment } from "../../ui/format.ts";
import { StatusTag } from "../parts/tags.tsx";
import { deriveMerchantStatus, type MerchantStatus } from "./merchant-status.ts";
import { merchantStatuses, nextSteps } from "./merchant-status-texts.ts";

type Escrow = Schemas["ConditionalPayment"]["data"];

/** A payment, and its escrow: null where it has none, undefined while it is not read. */
type Props = { intent: Schemas["PaymentIntent"]; escrow: Escrow | null | undefined };

/** @returns undefined while what decides is not read */
function statusOf({ intent, escrow }: Props): MerchantStatus | undefined {
  if (escrow === undefined && intent.data.type === "DELIVERY_VS_PAYMENT") return undefined;
  return deriveMerchantStatus(intent.status, escrow ?? null);
}

export function IntentTag(props: Props) {
  const words = useTexts(merchantStatuses);
  const status = statusOf(props);
  return status && <StatusTag status={status}>{words(status)}</StatusTag>;
}

/** The escrow holds the funds: what comes next depends on the order's terms, and has a time. */
const isHeld = (status: MerchantStatus): status is "IN_ESCROW" | "SHIPPED" | "DISPUTED" =>
  status === "IN_ESCROW" || status === "SHIPPED" || status === "DISPUTED";

/** When what comes next is due, in Unix seconds. */
function dueOf(status: MerchantStatus, escrow: Escrow): number {
  if (status === "DISPUTED") return Number(escrow.disputeRaisedAt) + Number(escrow.disputeWindow);
  return Number(escrow.timeLockUntil ?? escrow.deliveryDeadline);
}

export function NextStep(props: Props) {
  const t = useTexts(nextSteps);
  const locale = useLocale();
  const { escrow } = props;
  const status = statusOf(props);
  if (!status) return null;
  if (!isHeld(status)) return <p className="soft">{t(status)}</p>;
  if (!escrow) return null;
  const { releaseType } = escrow;
  const isByTerms = releaseType === "MILESTONE_LOCKED" || releaseType === "TIME_LOCKED";
  const key = isByTerms && status !== "DISPUTED" ? releaseType : status;
  return <p className="soft">{t(key, { time: showMoment(dueOf(status, escrow), locale) })}</p>;
}
