// Shows the payer's total costs, and what the account lacks, before the wallet is opened.
import { useQuery } from "@tanstack/react-query";
import { useConnection } from "wagmi";
import { useLocale, useTexts } from "../../i18n/language.tsx";
import { showAmount, showDecimal } from "../../ui/format.ts";
import type { Checkout } from "../payment/checkout.ts";
import type { Verified } from "../payment/verify.ts";
import type { PaymentMethod, Wallet } from "./payment-methods.ts";
import type { Problem } from "./problem.ts";
import { type Costs, readCosts, roundFee } from "./read-costs.ts";
import { walletTexts } from "./texts.ts";

/** Polling interval, so that a payer who tops up the account sees the new balance without a click. */
const AGAIN_MS = 10_000;

type PaymentProps = { checkout: Checkout; verified: Verified };

/** Returns undefined if the wallet's chain does not respond. Paying then reports the problem. */
export function useCosts(
  { checkout, verified }: PaymentProps,
  paymentMethod: PaymentMethod | undefined,
  loadWallet: () => Promise<Wallet>,
): Costs | undefined {
  const { address } = useConnection();
  const { testMode } = checkout.data;
  const { data } = useQuery({
    queryKey: ["costs", verified.id, address, paymentMethod?.by],
    enabled: paymentMethod !== undefined,
    queryFn: async () => paymentMethod && readCosts(await loadWallet(), verified, paymentMethod, testMode),
    retry: false,
    refetchInterval: AGAIN_MS,
    gcTime: 0,
  });
  return data;
}

/** Returns why this account cannot pay, or undefined if no reason is known. */
export function findShortfall(costs: Costs | undefined, { terms }: Verified): Problem | undefined {
  const { balance, fee } = costs ?? {};
  if (balance !== undefined && balance < terms.amount) {
    return { kind: "balance", has: balance, needs: terms.amount };
  }
  return fee !== undefined && fee.has < fee.most ? { kind: "gas" } : undefined;
}

export function CostsTable({ checkout, verified, costs }: PaymentProps & { costs: Costs | undefined }) {
  const t = useTexts(walletTexts);
  const locale = useLocale();
  const { currency, network } = checkout.data;
  const amount = showAmount(verified.terms.amount, currency, locale);
  const { balance, fee } = costs ?? {};
  const feeText = fee && `${showDecimal(roundFee(fee.most), locale)} ${network.currency}`;
  return (
    <dl className="facts costs">
      {balance !== undefined && (
        <div>
          <dt>{t("costs.balance")}</dt>
          <dd className="number">{showAmount(balance, currency, locale)}</dd>
        </div>
      )}
      <div>
        <dt>{t("costs.fee")}</dt>
        <dd className="number">
          {costs === undefined ? "…" : feeText ? t("costs.most", { fee: feeText }) : t("costs.none")}
        </dd>
      </div>
      <div className="costs-total">
        <dt>{t("costs.total")}</dt>
        <dd className="number">
          {feeText ? t("costs.totalAndFee", { amount }) : t("costs.nothingElse", { amount })}
        </dd>
      </div>
    </dl>
  );
}
