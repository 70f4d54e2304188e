// Where fiat can be sent, and what each way costs and takes. The adapters themselves live in settlement/offramp.
import type { Config } from "./config.ts";
import type { SettlementMethod } from "./db/schema.ts";
import { type Currency, formatAmount } from "./money.ts";

export const SETTLEMENT_METHODS = [
  "OFF_RAMP_MOCK",
  "OFF_RAMP_TO_RTP",
  "OFF_RAMP_TO_BANK",
] as const satisfies [SettlementMethod, ...SettlementMethod[]];

/** What a transfer will cost, in the currency's smallest unit, and how many seconds it will take. */
export type Quote = { fee: bigint; seconds: number };

const DAY = 86_400;

type Asked = { method: SettlementMethod; amount: bigint; currency: Currency };

/** The provider's terms for a transfer; the adapters quote by them, and so does the API, which calls no provider. */
export function quoteOf({ mockPayout }: Pick<Config, "mockPayout">, { method }: Asked): Quote {
  switch (method) {
    case "OFF_RAMP_MOCK":
      return { fee: 0n, seconds: Math.ceil(mockPayout.maxMs / 1_000) };
    case "OFF_RAMP_TO_RTP":
      return { fee: 0n, seconds: 60 };
    case "OFF_RAMP_TO_BANK":
      return { fee: 0n, seconds: 3 * DAY };
  }
}

/** As a merchant is told: a decimal string, and a duration such as `60s` or `3d`. */
export const showQuote = ({ fee, seconds }: Quote, currency: Currency) => ({
  estimatedFee: formatAmount(fee, currency),
  estimatedDeliveryTime: seconds > 0 && seconds % DAY === 0 ? `${seconds / DAY}d` : `${seconds}s`,
});
