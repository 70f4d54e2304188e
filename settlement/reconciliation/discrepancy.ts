// A finding of a reconciliation: a disagreement between ledger, chain, payouts and provider.
import { type Address, formatEther } from "viem";
import type { IntentId } from "#core/ids.ts";
import { type Account, NETWORK_ACCOUNTS } from "#core/ledger/flows.ts";
import { type Currency, formatAmount, knownCurrencies } from "#core/money.ts";
import { formatFiat } from "#core/off-ramp/fiat.ts";
import type { Transfer } from "../off-ramp/off-ramp.ts";

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
  "conversion",
] as const;

export type DiscrepancyKind = (typeof DISCREPANCY_KINDS)[number];

export type Discrepancy = {
  kind: DiscrepancyKind;
  /** The id of the discrepancy's subject, identical in every reconciliation that finds it. */
  about: string;
  /** A description for people, with ids and amounts. */
  says: string;
  /** For `contract_shortfall`, the token, unless a reorg may explain it. */
  token?: Address;
  /** The missing or excess amount, if known, in the smallest unit as a decimal. */
  stake?: Stake;
  /**
   * The facts by which another reconciliation recognizes the discrepancy, regardless of the wording. An acknowledgement
   * applies to these facts.
   */
  identity: string;
};

type Stake = { amount: string; currency: Currency };

/** Returns the stake of an amount in a token; the stake of an amount in a bank's currency is unknown. */
export function buildStake(amount: bigint, currency: string): { stake?: Stake } {
  const token = knownCurrencies().find((known) => known === currency);
  if (!token) return {};
  return { stake: { amount: (amount < 0n ? -amount : amount).toString(), currency: token } };
}

/** A transfer as listed by a provider, as JSON. Amounts are decimals in the smallest unit. */
export type ListedTransfer = {
  account: string;
  providerId: string;
  reference: string;
  amount: string;
  fee: string;
  currency: Currency;
  state: Transfer["state"];
  /** Unix milliseconds. */
  createdAt: number;
  /** ISO time by the database's clock, not later than the query of the list. */
  readAt: string;
  /** The first transfer with this reference, if this is a duplicate. */
  first?: string;
};

/** The subject that the second comparison reads again. */
export type Subject =
  | { check: "balances"; merchantId: string }
  | { check: "payments"; intentId: IntentId }
  | { check: "transfers"; transfer: ListedTransfer }
  | { check: "unlisted"; payoutId: string; account: string }
  | { check: "contract" }
  | { check: "wallets" };

export type Check = Subject["check"];

/** A discrepancy that a second comparison may resolve. */
export type Finding = Discrepancy & { subject: Subject };

/** Returns the key of a finding, which is the same in both comparisons. */
export const nameFinding = ({ kind, about }: Pick<Discrepancy, "kind" | "about">): string =>
  `${kind} ${about}`;

/**
 * Whether a discrepancy is only reported and does not count as a difference. Anyone can cause a surplus by sending
 * tokens to the contract, and nobody can undo it.
 */
export const isInformational = (kind: DiscrepancyKind): boolean => kind === "contract_surplus";

/** Separates the differences from those that are only informational. */
export function partition(found: Discrepancy[]): { differences: Discrepancy[]; notes: Discrepancy[] } {
  const { notes = [], differences = [] } = Object.groupBy(found, ({ kind }) =>
    isInformational(kind) ? "notes" : "differences",
  );
  return { differences, notes };
}

/** Formats an amount for people, including negative ones. */
export function formatMoney(amount: bigint, currency: string): string {
  const token = knownCurrencies().find((known) => known === currency);
  const size = amount < 0n ? -amount : amount;
  const text = token ? formatAmount(size, token) : formatFiat({ amount: size, currency });
  return `${amount < 0n ? "-" : ""}${text} ${currency}`;
}

/** Formats an account's amount for people. */
export const formatAccountMoney = (account: Account, amount: bigint, currency: string): string =>
  NETWORK_ACCOUNTS.has(account) ? `${formatEther(amount)} ${currency}` : formatMoney(amount, currency);

/** Returns the stake of an account's amount; see buildStake. */
export const stakeOn = (account: Account, amount: bigint, currency: string): { stake?: Stake } =>
  NETWORK_ACCOUNTS.has(account) ? {} : buildStake(amount, currency);

/** Returns the configured currency of a token. */
export const findCurrency = (tokens: Record<Currency, string>, token: string): Currency | undefined =>
  Object.entries(tokens).find(([, known]) => known.toLowerCase() === token.toLowerCase())?.[0];
