// Where fiat can be sent, and what each way costs and takes. The adapters themselves live in settlement/offramp.
import type { SettlementMethod } from "./db/schema.ts";

export const SETTLEMENT_METHODS = [
  "OFF_RAMP_MOCK",
  "OFF_RAMP_TO_RTP",
  "OFF_RAMP_TO_BANK",
] as const satisfies [SettlementMethod, ...SettlementMethod[]];

/** What a merchant is told when it asks for a payment: the fee in the intent's currency, and a duration. */
export type Quote = { estimatedFee: string; estimatedDeliveryTime: string };

const QUOTES: Record<SettlementMethod, Quote> = {
  OFF_RAMP_MOCK: { estimatedFee: "0.00", estimatedDeliveryTime: "30s" },
  OFF_RAMP_TO_RTP: { estimatedFee: "0.00", estimatedDeliveryTime: "60s" },
  OFF_RAMP_TO_BANK: { estimatedFee: "0.00", estimatedDeliveryTime: "3d" },
};

export const quoteOf = (method: SettlementMethod): Quote => QUOTES[method];
