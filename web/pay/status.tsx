// Shows the payment's status in one sentence, and announces changes to screen readers.
import { useRef } from "react";
import { isOpen } from "#core/chain/terms.ts";
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showDecimal, showMoment } from "../ui/format.ts";
import { Icon, type IconName } from "../ui/icons.tsx";
import { useTakeFocus } from "../ui/take-focus.ts";
import { useNow } from "../ui/use-now.ts";
import { type Checkout, isPositive } from "./payment/checkout.ts";
import { isDisputeExpired } from "./payment/rights.ts";
import { pay } from "./payment/texts.ts";
import type { Verified } from "./payment/verify.ts";
import { useEnding, useUndecided } from "./payment/when-it-moves.tsx";

type Tone = "good" | "warn" | "bad" | "plain";
const ICONS: Record<Tone, IconName> = { good: "check", warn: "warning", bad: "cross", plain: "clock" };
type Said = { tone: Tone; title: string; text: string; note?: string };

/**
 * Returns notes about exceptional events: a dispute that nobody decided, and amounts that were transferred differently
 * from the rest.
 */
function useNotes({ data }: Checkout): string[] {
  const t = useTexts(pay);
  const locale = useLocale();
  const { merchantName: merchant, order, currency } = data;
  if (!order) return [];
  const show = (decimal: string) => `${showDecimal(decimal, locale)} ${currency}`;
  const cancelled = order.status === "Cancelled";
  // The order was disputed and is open again, so nobody decided the dispute.
  const resumed = order.disputeSide !== null && isOpen(order.status);
  const [amount, credit] = [show(order.refunded), show(order.credit)];
  const refunded = isPositive(order.credit)
    ? t("status.partlyCredited", { amount, credit })
    : t("status.partlyRefunded", { amount });
  return [
    ...(resumed ? [t("status.resumed")] : []),
    ...(isPositive(order.refunded) && !cancelled ? [refunded] : []),
    ...(isPositive(order.released) && (cancelled || order.releasedAt === null)
      ? [t("status.partlyReleased", { amount: show(order.released), merchant })]
      : []),
  ];
}

function useStatus(checkout: Checkout, verified: Verified): Said | undefined {
  const t = useTexts(pay);
  const locale = useLocale();
  const { status, data } = checkout;
  const { merchantName: merchant, order, currency } = data;
  const undecided = useUndecided({ checkout, verified });
  const ending = useEnding({ checkout, verified });
  const now = useNow();
  const note = useNotes(checkout).join(" ");
  if (!data.movable) return { tone: "warn", title: t("status.gone.title"), text: t("status.gone.text") };
  if (order?.status === "Cancelled") {
    const amount = `${showDecimal(order.refunded, locale)} ${currency}`;
    if (isPositive(order.credit)) {
      const credit = `${showDecimal(order.credit, locale)} ${currency}`;
      const text = t("status.credit.text", { amount, credit });
      return { tone: "warn", title: t("status.credit.title"), text, note };
    }
    const text = t("status.refunded.text", { amount });
    return { tone: "good", title: t("status.refunded.title"), text, note };
  }
  if (order?.status === "Disputed") {
    const date = showMoment(order.disputeDeadline ?? 0, locale);
    const words = isDisputeExpired(order, now)
      ? { title: t("status.undecided.title"), text: t("status.undecided.text", { date, ending }) }
      : {
          title: t("status.disputed.title"),
          text: t("status.disputed.text", {
            date,
            undecided: order.disputeSide === "PAYER" ? undecided : t("undecided.resumes"),
          }),
        };
    return {
      tone: "warn",
      ...words,
      ...(order.disputeReason ? { note: `${t("status.disputed.reason")}: ${order.disputeReason}` } : {}),
    };
  }
  switch (status) {
    case "PROCESSING":
      return { tone: "plain", title: t("status.processing.title"), text: t("status.processing.text") };
    case "SUCCEEDED":
      return order?.releasedAt != null || order?.status === "AwaitingSettlement"
        ? {
            tone: "good",
            title: t("status.released.title", { merchant }),
            text: t("status.released.text", { merchant }),
            note,
          }
        : {
            tone: "good",
            title: t("status.locked.title"),
            text: t("status.locked.text", { merchant }),
            note,
          };
    case "SETTLED":
    case "FINAL":
      return {
        tone: "good",
        title: t("status.settled.title"),
        text: t("status.settled.text", { merchant }),
        note,
      };
    case "CANCELED": {
      const expired = verified.terms.fundingDeadline < Date.now() / 1000;
      const date = showMoment(verified.terms.fundingDeadline, locale);
      return expired
        ? {
            tone: "plain",
            title: t("status.expired.title"),
            text: t("status.expired.text", { date, merchant }),
          }
        : {
            tone: "plain",
            title: t("status.canceled.title"),
            text: t("status.canceled.text", { merchant }),
          };
    }
    case "REQUIRES_ACTION":
      if (!order) return undefined;
      return {
        tone: "plain",
        title: t("status.payout.title"),
        text: t("status.payout.text", { merchant }),
      };
    default:
      return undefined;
  }
}

export function Status({ checkout, verified }: { checkout: Checkout; verified: Verified }) {
  const t = useTexts(pay);
  const locale = useLocale();
  const { data } = checkout;
  const said = useStatus(checkout, verified);
  const heading = useRef<HTMLHeadingElement>(null);
  useTakeFocus(heading, said?.title);
  return (
    // The live region must exist before its text, so that screen readers announce the text.
    <div role="status" className={said ? `card stack-tight status status-${said.tone}` : ""}>
      {said && (
        <>
          <span className="status-icon">
            <Icon name={ICONS[said.tone]} />
          </span>
          <h2 className="status-title" ref={heading} tabIndex={-1}>
            {said.title}
          </h2>
          {data.order && (
            <p className="status-amount number">
              {t("status.amount", {
                amount: `${showDecimal(data.amount, locale)} ${data.currency}`,
                merchant: data.merchantName,
              })}
            </p>
          )}
          <p>{said.text}</p>
          {said.note && <p className="small reason">{said.note}</p>}
        </>
      )}
    </div>
  );
}
