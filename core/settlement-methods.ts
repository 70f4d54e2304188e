// Where fiat can be sent, which amounts each way carries, and what it costs and takes. The adapters themselves live in settlement/offramp.
import type { Config } from "./config.ts";
import type { SettlementMethod } from "./db/schema/intents.ts";
import { type Currency, decimalsOf, formatAmount } from "./money.ts";
import type { Fee } from "./off-ramp-config.ts";

export const SETTLEMENT_METHODS = [
  "OFF_RAMP_MOCK",
  "OFF_RAMP_TO_RTP",
  "OFF_RAMP_TO_BANK",
] as const satisfies [SettlementMethod, ...SettlementMethod[]];

/** What a transfer will cost, in the currency's smallest unit, and how many seconds it will take. */
export type Quote = { fee: bigint; seconds: number };

const DAY = 86_400;

type Asked = { method: SettlementMethod; amount: bigint; currency: Currency };

const divideUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** A hundredth of the currency's unit, in its smallest: the least that a bank distinguishes. */
const hundredthOf = (currency: Currency): bigint => 10n ** BigInt(decimalsOf(currency) - 2);

/** Rounded up to hundredths of the currency's unit, and never more than the amount. */
function feeOf({ fixed, share }: Fee, amount: bigint, currency: Currency): bigint {
  const hundredth = hundredthOf(currency);
  const fee = (fixed + divideUp(amount * share, 10_000n * hundredth)) * hundredth;
  return fee < amount ? fee : amount;
}

/** The provider's terms for a transfer; the adapters quote by them, and so does the API, which calls no provider. */
export function quoteOf(
  { mockPayout, fees }: Pick<Config, "mockPayout" | "fees">,
  { method, amount, currency }: Asked,
): Quote {
  switch (method) {
    case "OFF_RAMP_MOCK":
      return { fee: 0n, seconds: Math.ceil(mockPayout.maxMs / 1_000) };
    case "OFF_RAMP_TO_RTP":
      return { fee: feeOf(fees[method], amount, currency), seconds: 60 };
    case "OFF_RAMP_TO_BANK":
      return { fee: feeOf(fees[method], amount, currency), seconds: 3 * DAY };
  }
}

/** As a merchant is told: a decimal string, and a duration such as `60s` or `3d`. */
export const showQuote = ({ fee, seconds }: Quote, currency: Currency) => ({
  estimatedFee: formatAmount(fee, currency),
  estimatedDeliveryTime: seconds > 0 && seconds % DAY === 0 ? `${seconds / DAY}d` : `${seconds}s`,
});

/**
 * What is wrong with an amount that is to be paid out at once. Banks have whole cents: a provider cuts off what is less, and
 * refuses what is below its minimum. The mock bank carries whatever the token does.
 * @returns undefined for one that the method carries
 */
export function findAmountProblem(
  { minimums }: Pick<Config, "minimums">,
  { method, amount, currency }: Asked,
): string | undefined {
  if (method === "OFF_RAMP_MOCK") return undefined;
  const step = hundredthOf(currency);
  const minimum = minimums[method] * step;
  if (amount >= minimum && amount % step === 0n) return undefined;
  return `${method} carries at least ${formatAmount(minimum, currency)} ${currency}, in steps of 0.01`;
}
