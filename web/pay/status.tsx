// Where the payment stands, in one sentence; a change is read aloud.
import { useLocale, useTexts } from "../i18n/language.tsx";
import { showDecimal, showMoment } from "../ui/format.ts";
import type { Checkout } from "./checkout.ts";
import { pay } from "./texts.ts";
import type { Verified } from "./verify.ts";

type Tone = "good" | "warn" | "bad" | "plain";
type Said = { tone: Tone; title: string; text: string; note?: string };

function useStatus(checkout: Checkout, verified: Verified): Said | undefined {
  const t = useTexts(pay);
  const locale = useLocale();
  const { status, data } = checkout;
  const { merchantName: merchant, order, currency } = data;
  if (!data.movable) return { tone: "warn", title: t("status.gone.title"), text: t("status.gone.text") };
  if (order?.status === "Cancelled") {
    const amount = `${showDecimal(order.refunded, locale)} ${currency}`;
    return { tone: "good", title: t("status.refunded.title"), text: t("status.refunded.text", { amount }) };
  }
  if (order?.status === "Disputed") {
    const date = showMoment(order.disputeDeadline ?? 0, locale);
    return {
      tone: "warn",
      title: t("status.disputed.title"),
      text: t("status.disputed.text", { date }),
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
          }
        : {
            tone: "good",
            title: t("status.locked.title"),
            text: t("status.locked.text", { merchant }),
          };
    case "SETTLED":
    case "FINAL":
      return {
        tone: "good",
        title: t("status.settled.title"),
        text: t("status.settled.text", { merchant }),
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
  const said = useStatus(checkout, verified);
  return (
    // There before anything is said, so that what comes is read aloud.
    <div role="status" className={said ? `card stack-tight status status-${said.tone}` : ""}>
      {said && (
        <>
          <h2 className="status-title">{said.title}</h2>
          <p>{said.text}</p>
          {said.note !== undefined && <p className="small reason">{said.note}</p>}
        </>
      )}
    </div>
  );
}
