// What a reconciliation finds: something that two of ledger, chain, payouts and provider say differently.
import { type Address, formatEther } from "viem";
import type { IntentId } from "#core/ids.ts";
import { type Account, NETWORK_ACCOUNTS } from "#core/ledger/flows.ts";
import { type Currency, formatAmount, knownCurrencies } from "#core/money.ts";
import { formatFiat } from "#core/off-ramp/fiat.ts";
import type { Transfer } from "../offramp/off-ramp.ts";

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
  /** The id of its subject: the same in every reconciliation that finds it. */
  about: string;
  /** In plain words, with ids and amounts. */
  says: string;
  /** Of `contract_shortfall`: the token that lacks cover. */
  token?: Address;
  /** The missing or excess amount, where it is known. In the smallest unit, as a decimal. */
  stake?: Stake;
  /** What identifies it as the same difference. Default: its text. */
  identity?: string;
};

type Stake = { amount: string; currency: Currency };

/** Of a token; the stake in a bank's currency is not known. */
export function buildStake(amount: bigint, currency: string): { stake?: Stake } {
  const token = knownCurrencies().find((known) => known === currency);
  if (!token) return {};
  return { stake: { amount: (amount < 0n ? -amount : amount).toString(), currency: token } };
}

/** A transfer as a provider's list has shown it, as JSON. Amounts in the smallest unit, as decimals. */
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
  /** Not after the list was queried, by the database's clock: ISO time. */
  readAt: string;
  /** The first transfer with this reference, if this is another one. */
  first?: string;
};

/** What the second comparison reads again. */
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

/** The name of the difference in both comparisons. */
export const nameFinding = ({ kind, about }: Pick<Discrepancy, "kind" | "about">): string =>
  `${kind} ${about}`;

/**
 * Anybody can cause it by sending tokens to the contract, and nobody can end it: it is reported and is not a
 * difference.
 */
export const isInformational = (kind: DiscrepancyKind): boolean => kind === "contract_surplus";

/** The differences without those that are only informative. */
export function partition(found: Discrepancy[]): { differences: Discrepancy[]; notes: Discrepancy[] } {
  const { notes = [], differences = [] } = Object.groupBy(found, ({ kind }) =>
    isInformational(kind) ? "notes" : "differences",
  );
  return { differences, notes };
}

/** An amount for people, also below zero. */
export function money(amount: bigint, currency: string): string {
  const token = knownCurrencies().find((known) => known === currency);
  const size = amount < 0n ? -amount : amount;
  const text = token ? formatAmount(size, token) : formatFiat({ amount: size, currency });
  return `${amount < 0n ? "-" : ""}${text} ${currency}`;
}

/** An amount on an account, as people read it. */
export const moneyOn = (account: Account, amount: bigint, currency: string): string =>
  NETWORK_ACCOUNTS.has(account) ? `${formatEther(amount)} ${currency}` : money(amount, currency);

/** What is at stake on an account: see buildStake. */
export const stakeOn = (account: Account, amount: bigint, currency: string): { stake?: Stake } =>
  NETWORK_ACCOUNTS.has(account) ? {} : buildStake(amount, currency);

/** The currency of a token, as the service knows it. */
export const findCurrency = (tokens: Record<Currency, string>, token: string): Currency | undefined =>
  Object.entries(tokens).find(([, known]) => known.toLowerCase() === token.toLowerCase())?.[0];
