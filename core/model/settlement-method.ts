/** How a payment is paid out to the merchant (core/off-ramp/quotes-and-limits.ts). */
export const SETTLEMENT_METHODS = ["OFF_RAMP_MOCK", "OFF_RAMP_TO_RTP", "OFF_RAMP_TO_BANK"] as const;

export type SettlementMethod = (typeof SETTLEMENT_METHODS)[number];
