// What a reconciliation finds: something that two of ledger, chain, payouts and provider say differently.
import type { Address } from "viem";
import { CURRENCIES, type Currency, formatAmount } from "#core/money.ts";

export const DISCREPANCY_KINDS = [
  "wrong_balance",
  "missing_posting",
  "contract_shortfall",
  "contract_surplus",
  "escrow_order",
  "wallet_shortfall",
  "unplanned_payout",
  "unknown_transfer",
  "missing_transfer",
  "different_transfer",
] as const;

export type DiscrepancyKind = (typeof DISCREPANCY_KINDS)[number];

export type Discrepancy = {
  kind: DiscrepancyKind;
  /** What it is about, by its id: the same in every reconciliation that finds it. */
  about: string;
  /** In plain words, with ids and amounts. */
  says: string;
  /** Of `contract_shortfall`: the token that lacks cover. */
  token?: Address;
};

/** Anybody can cause it by sending tokens to the contract, and nobody can end it: it is reported and is no difference. */
export const isInformational = (kind: DiscrepancyKind): boolean => kind === "contract_surplus";

/** What is wrong, apart from what is only worth knowing. */
export function partition(found: Discrepancy[]): { differences: Discrepancy[]; notes: Discrepancy[] } {
  const { notes = [], differences = [] } = Object.groupBy(found, ({ kind }) =>
    isInformational(kind) ? "notes" : "differences",
  );
  return { differences, notes };
}

/** An amount as people read it, also below zero. */
export const money = (amount: bigint, currency: Currency): string =>
  `${amount < 0n ? "-" : ""}${formatAmount(amount < 0n ? -amount : amount, currency)} ${currency}`;

/** The currency of a token, as the service knows it. */
export const currencyOf = (tokens: Record<Currency, string>, token: string): Currency | undefined =>
  CURRENCIES.find((currency) => tokens[currency].toLowerCase() === token.toLowerCase());
