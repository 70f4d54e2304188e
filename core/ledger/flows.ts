// The ledger's accounts, and the permitted flows of money between them (docs/ledger.md).

/**
 * Every merchant has each of these accounts in each currency, and their sum is always zero. `payers`: the source of
 * funds, therefore never above zero. `custody`: held by the escrow. `in_transit`: at the off-ramp, on its way to the
 * merchant's bank. `paid`: arrived at the bank. `fees`: kept by a provider. `withdrawn`: withdrawn on chain by the
 * merchant's own account. `returned`: returned to the payer. `loss`: paid out of the gateway's own funds, because a
 * reorg removed the settlement or a provider kept more than the amount of the payout; never above zero. `covered`:
 * added by the gateway for the fees of returned payouts, if the gateway bears them; never above zero. `gas`: kept by a
 * provider for network fees. In the bank's currency, `delivered`: the amount that arrived; `converted`: its
 * counterpart, never above zero. The amount that was sold for it is in `paid`, in the token's currency. In the network's
 * native currency, `network`: the cost of the gateway's transactions; `operator`: its counterpart, paid by the operator,
 * never above zero.
 */
export const ACCOUNTS = [
  "payers",
  "custody",
  "in_transit",
  "paid",
  "fees",
  "withdrawn",
  "returned",
  "loss",
  "covered",
  "gas",
  "converted",
  "delivered",
  "operator",
  "network",
] as const;

export type Account = (typeof ACCOUNTS)[number];

/** Accounts that may be negative, because flows only start from them. All others never fall below zero. */
export const SOURCES: readonly Account[] = ["payers", "loss", "covered", "converted", "operator"];

/** Accounts in the network's native currency, with amounts in wei. A token may have the same symbol. */
export const NETWORK_ACCOUNTS: ReadonlySet<Account> = new Set<Account>(["operator", "network"]);

/** The kinds of postings, with their source and target accounts. A wrong posting is reversed. */
export const FLOWS = {
  funded: ["payers", "custody"],
  refunded: ["custody", "returned"],
  withdrawn: ["custody", "withdrawn"],
  settled: ["custody", "in_transit"],
  paid: ["in_transit", "paid"],
  paid_externally: ["in_transit", "paid"],
  fee: ["in_transit", "fees"],
  gas: ["in_transit", "gas"],
  delivered: ["converted", "delivered"],
  fee_covered: ["covered", "in_transit"],
  payout_returned: ["paid", "in_transit"],
  lost: ["loss", "in_transit"],
  network_fee: ["operator", "network"],
} as const satisfies Record<string, readonly [from: Account, to: Account]>;

export type PostingKind = keyof typeof FLOWS;

export const POSTING_KINDS = Object.keys(FLOWS) as [PostingKind, ...PostingKind[]];
