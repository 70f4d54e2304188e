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
  /** The id of its subject, identical in every reconciliation that finds it. */
  about: string;
  /** In plain words, with ids and amounts. */
  says: string;
  /** For `contract_shortfall`: the token that is not covered. */
  token?: Address;
  /** The missing or excess amount, if known, in the smallest unit as a decimal. */
  stake?: Stake;
  /** The facts by which another reconciliation recognizes it in any wording: an acknowledgement is for these. */
  identity: string;
};

type Stake = { amount: string; currency: Currency };

/** In a token; the stake in a bank's currency is unknown. */
export function buildStake(amount: bigint, currency: string): { stake?: Stake } {
  const token = knownCurrencies().find((known) => known === currency);
  if (!token) return {};
  return { stake: { amount: (amount < 0n ? -amount : amount).toString(), currency: token } };
}

/** A transfer as shown by a provider's list, as JSON. Amounts in the smallest unit, as decimals. */
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
  /** No later than when the list was queried, by the database's clock: ISO time. */
  readAt: string;
  /** The first transfer with this reference, if this is a duplicate. */
  first?: string;
};

/** What the second comparison rereads. */
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

/** The key of the difference in both comparisons. */
export const nameFinding = ({ kind, about }: Pick<Discrepancy, "kind" | "about">): string =>
  `${kind} ${about}`;

/**
 * Anybody can cause it by sending tokens to the contract, and nobody can undo it, so it is reported but is not a
 * difference.
 */
export const isInformational = (kind: DiscrepancyKind): boolean => kind === "contract_surplus";

/** The differences, without those that are only informative. */
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

/** An account's amount at stake; see buildStake. */
export const stakeOn = (account: Account, amount: bigint, currency: string): { stake?: Stake } =>
  NETWORK_ACCOUNTS.has(account) ? {} : buildStake(amount, currency);

/** The currency of a token, as known to the service. */
export const findCurrency = (tokens: Record<Currency, string>, token: string): Currency | undefined =>
  Object.entries(tokens).find(([, known]) => known.toLowerCase() === token.toLowerCase())?.[0];
