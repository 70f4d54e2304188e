// The ledger's accounts, and the only ways that money takes between them (docs/ledger.md).

/**
 * Every merchant has each of these in each currency. Their sum is always zero.
 * `payers`: where funds come from, so never above zero. `custody`: held by the escrow. `in_transit`: at the off-ramp, on
 * its way to the merchant's bank. `paid`: arrived there. `fees`: kept by a provider. `withdrawn`: taken by the merchant's
 * own account on chain. `returned`: went back to the payer. `loss`: what the gateway paid out of its own pocket, because
 * the chain took back what had been settled; never above zero. `covered`: what the gateway added for fees of payouts that
 * came back, where it bears them; never above zero. `gas`: what providers kept of it for the network.
 * In the network's currency, in wei: `network`: gas of the gateway's transactions for the merchant's payments; `operator`: who
 * paid it, never above zero. It is the operator's cost, which no merchant bears or sees (docs/decisions/0025-network-fees.md).
 * In the bank's currency, `delivered`: what arrived there; `converted`: its counterpart, never above zero. What was sold for
 * it is on `paid`, in the token's currency.
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

/** Accounts outside of the gateway's and the merchant's: the others never fall below zero. */
export const SOURCES: readonly Account[] = ["payers", "loss", "covered", "converted", "operator"];

/** Those in the network's own currency, with amounts in wei. A token may have the same symbol. */
export const NETWORK_ACCOUNTS: ReadonlySet<Account> = new Set<Account>(["operator", "network"]);

/** What is posted: from which account to which. What turns out not to be so is posted the other way. */
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
