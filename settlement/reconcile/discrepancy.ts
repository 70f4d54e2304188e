// What a reconciliation finds: something that two of ledger, chain, payouts and provider say differently.
import { CURRENCIES, type Currency, formatAmount } from "#core/money.ts";

export const DISCREPANCY_KINDS = [
  "wrong_balance",
  "missing_posting",
  "contract_balance",
  "escrow_order",
  "wallet_shortfall",
  "unplanned_payout",
  "unknown_transfer",
  "missing_transfer",
  "different_transfer",
] as const;

export type Discrepancy = {
  kind: (typeof DISCREPANCY_KINDS)[number];
  /** What it is about, by its id: the same in every reconciliation that finds it. */
  about: string;
  /** In plain words, with ids and amounts. */
  says: string;
};

/** An amount as people read it, also below zero. */
export const money = (amount: bigint, currency: Currency): string =>
  `${amount < 0n ? "-" : ""}${formatAmount(amount < 0n ? -amount : amount, currency)} ${currency}`;

/** The currency of a token, as the service knows it. */
export const currencyOf = (tokens: Record<Currency, string>, token: string): Currency | undefined =>
  CURRENCIES.find((currency) => tokens[currency].toLowerCase() === token.toLowerCase());
