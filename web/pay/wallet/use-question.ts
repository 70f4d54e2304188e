// Explains what exercising a right does, before the wallet is opened.
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount, showDecimal } from "../../ui/format.ts";
import { computeRest } from "../payment/amounts.ts";
import type { Checkout, Order } from "../payment/checkout.ts";
import { nextMilestone } from "../payment/next-milestone.ts";
import type { Right } from "../payment/rights.ts";
import type { Verified } from "../payment/verify.ts";
import { useEnding, useUndecided } from "../payment/when-it-moves.tsx";
import { walletTexts } from "./texts.ts";

type PaymentProps = { checkout: Checkout; verified: Verified };

function useMilestoneQuestion({ checkout, verified }: PaymentProps): string {
  const t = useTexts(walletTexts);
  const locale = useLocale();
  const next = nextMilestone(checkout, verified);
  if (!next) return "";
  const { merchantName: merchant, currency } = checkout.data;
  const { index, description, amount: planned } = next.milestone;
  const show = (units: bigint) => showAmount(units, currency, locale);
  const moved = { number: index + 1, amount: show(next.amount), merchant };
  return [
    description === null ? t("milestone.ask", moved) : t("milestone.askNamed", { ...moved, description }),
    ...(next.partial
      ? [t("milestone.partial", { planned: `${showDecimal(planned, locale)} ${currency}` })]
      : []),
    next.left > 0n ? t("milestone.left", { left: show(next.left) }) : t("milestone.noneLeft"),
  ].join(" ");
}

export function useQuestion({
  checkout,
  verified,
  order,
}: PaymentProps & { order: Order }): Record<Right, string> {
  const t = useTexts(walletTexts);
  const locale = useLocale();
  const { merchantName: merchant, currency } = checkout.data;
  const amount = showAmount(computeRest(checkout, verified), currency, locale);
  return {
    milestone: useMilestoneQuestion({ checkout, verified }),
    release: t("release.ask", { amount, merchant }),
    dispute: t("dispute.ask", { undecided: useUndecided({ checkout, verified }) }),
    reclaim: t("reclaim.ask", { amount }),
    expire: t("expire.ask", { ending: useEnding({ checkout, verified }) }),
    claim: t("claim.ask", { amount: `${showDecimal(order.credit, locale)} ${currency}` }),
  };
}
