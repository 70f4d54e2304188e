// The fiat payout methods, with the amounts that each method accepts, and its cost and duration. The adapters are in
// settlement/off-ramp.
import type { Address } from "viem";
import type { Config } from "../config/config.ts";
import { findLimits, hasWallet, type Limits } from "../config/off-ramp-account.ts";
import type { Fee } from "../config/off-ramp-config.ts";
import type { SettlementMethod } from "../model/settlement-method.ts";
import { type Currency, decimalsOf, formatAmount } from "../money.ts";

/** The cost of a transfer, in the currency's smallest unit, and its duration in seconds. */
export type Quote = { fee: bigint; seconds: number };

const DAY = 86_400;

/** The details of a payment that matter to the method. `amount` is in the smallest unit. */
export type Payment = { method: SettlementMethod; amount: bigint; currency: Currency };

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** A hundredth of the currency's unit, in its smallest unit: the smallest amount that banks distinguish. */
export const hundredthOf = (currency: Currency): bigint => 10n ** BigInt(decimalsOf(currency) - 2);

/** Computes the fee, rounded up to hundredths of the currency's unit, and never more than the amount. */
function computeFee({ fixed, share }: Fee, amount: bigint, currency: Currency): bigint {
  const hundredth = hundredthOf(currency);
  const fee = (fixed + divideUp(amount * share, 10_000n * hundredth)) * hundredth;
  return fee < amount ? fee : amount;
}

/**
 * Computes the provider's terms for a transfer. The adapters and the API, which calls no provider, use them for quotes.
 */
export function computeQuote(
  { mockPayout, fees }: Pick<Config, "mockPayout" | "fees">,
  { method, amount, currency }: Payment,
): Quote {
  switch (method) {
    case "OFF_RAMP_MOCK":
      return { fee: 0n, seconds: Math.ceil(mockPayout.maxMs / 1_000) };
    case "OFF_RAMP_TO_RTP":
      return { fee: computeFee(fees[method], amount, currency), seconds: 60 };
    case "OFF_RAMP_TO_BANK":
      return { fee: computeFee(fees[method], amount, currency), seconds: 3 * DAY };
  }
}

/** Formats a quote for the API: a decimal string, and a duration such as `60s` or `3d`. */
export const showQuote = ({ fee, seconds }: Quote, currency: Currency) => ({
  estimatedFee: formatAmount(fee, currency),
  estimatedDeliveryTime: seconds > 0 && seconds % DAY === 0 ? `${seconds / DAY}d` : `${seconds}s`,
});

/**
 * Checks an amount to be paid out in one transfer. Bank amounts have whole cents: a provider truncates fractions of a
 * cent, and rejects an amount below its minimum. The mock bank accepts any amount of the token.
 * @returns the problem with the amount; undefined if the method accepts it
 */
export function findAmountProblem(
  { minimums, accounts = [] }: Pick<Config, "minimums"> & Partial<Pick<Config, "accounts">>,
  { method, amount, currency, wallet }: Payment & { wallet?: Address },
): string | undefined {
  if (method === "OFF_RAMP_MOCK") return undefined;
  const owners = wallet === undefined ? [] : accounts.filter((account) => hasWallet(account, wallet));
  const serving = (owners.length > 0 ? owners : accounts).flatMap(
    (account) => findLimits(account, { method, currency }) ?? [],
  );
  if (accounts.length > 0 && serving.length === 0) return `${method} does not support ${currency}`;
  const all = serving.length > 0 ? serving : [{ minimum: minimums[method], maximum: null, step: 1n }];
  if (all.some((limits) => carries(limits, amount, currency))) return undefined;
  return `${method} supports ${all.map((limits) => describeLimits(limits, currency)).join("; or ")}`;
}

/** Whether a transfer of the amount is within the limits. */
export function carries({ minimum, maximum, step }: Limits, amount: bigint, currency: Currency): boolean {
  const unit = hundredthOf(currency);
  return (
    amount >= minimum * unit &&
    (maximum === null || amount <= maximum * unit) &&
    amount % (step * unit) === 0n
  );
}

function describeLimits({ minimum, maximum, step }: Limits, currency: Currency): string {
  const show = (hundredths: bigint) => formatAmount(hundredths * hundredthOf(currency), currency);
  const most = maximum === null ? "" : ` and at most ${show(maximum)}`;
  return `at least ${show(minimum)}${most} ${currency}, in steps of ${show(step)}`;
}
