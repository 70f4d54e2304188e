// What an off-ramp provider reports (settlement/off-ramp/bridge): the wallets of an account, and the part of its list of
// transfers that was read. The list serves only to find a transfer by our reference; its state is queried each time.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { address, moment, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

const epoch = sql`'epoch'`;

/** A wallet of an account that the provider has confirmed. Never deleted: settlements reach its address for months. */
export const offRampWallet = gatewaySchema.table(
  "off_ramp_wallet",
  {
    /** See payout.account. */
    account: text().notNull(),
    address: address().notNull(),
    /** The provider's id. */
    walletId: text().notNull(),
    /** SHA-256 of the settings, API key included, of the last confirmation. */
    settings: text().notNull(),
    verifiedAt: now(),
  },
  (t) => [primaryKey({ columns: [t.account, t.address] })],
);

/** A wallet's balance of a token when it was last read on chain, and the part that is allocated to payouts. */
export const offRampBalance = gatewaySchema.table(
  "off_ramp_balance",
  {
    /** In lower case. */
    token: address().notNull(),
    /** In lower case. */
    wallet: address().notNull(),
    balance: units().notNull(),
    /** More than the balance after funds have left, until their provider reports it. */
    allocated: units().notNull(),
    /** Counts the readings. */
    revision: integer().notNull(),
    readAt: now(),
  },
  (t) => [primaryKey({ columns: [t.token, t.wallet] })],
);

/**
 * `active`: takes new payments. `draining`: no new payments and no new payouts; what was ordered there is followed to its
 * end. `removed`: nothing is left there, and the account may go from the configuration.
 */
export type OffRampAccountState = "active" | "draining" | "removed";

/** What operators have decided about an account, and how it answers. An account without a row is active. */
export const offRampAccount = gatewaySchema.table("off_ramp_account", {
  /** See payout.account. */
  account: text().primaryKey(),
  state: text().$type<OffRampAccountState>().notNull().default("active"),
  /** Who decided it last, and why. */
  changedBy: text(),
  reason: text(),
  changedAt: now(),
  /** Since when it has not answered: new payments and payouts prefer others. Null: it answers. */
  failingSince: moment(),
});

/** A transfer in the provider's list. */
export const providerTransfer = gatewaySchema.table(
  "provider_transfer",
  {
    /** The list's owner: the provider's address and our account there. */
    account: text().notNull(),
    providerId: text().notNull(),
    reference: text().notNull(),
    /** By the provider's clock. */
    createdAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.account, t.providerId] }), index().on(t.account, t.reference)],
);

/** A search for a reference. It is deleted when the transfer is found, or proven to be absent. */
export const transferLookup = gatewaySchema.table(
  "transfer_lookup",
  {
    account: text().notNull(),
    reference: text().notNull(),
    /** Only a scan that began at or after this time can prove absence. */
    since: now(),
    /** The transfer cannot be older. */
    notBefore: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.account, t.reference] })],
);

/** The progress of scanning a list, from the newest transfer down, and the lease of the process that scans. */
export const transferListScan = gatewaySchema.table("transfer_list_scan", {
  account: text().primaryKey(),
  /** The process that holds the lease, and its end. */
  reader: text(),
  readUntil: moment().notNull().default(epoch),
  /** Transfers created between these times are complete in `provider_transfer`, and are not read again. */
  knownFrom: moment(),
  knownFromId: text(),
  knownUntil: moment(),
  /** The scan in progress: its start, the last transfer it read, and the end of the range that it completes. */
  beganAt: moment(),
  lastId: text(),
  lastAt: moment(),
  knownNext: moment(),
  /** The start of the last scan that reached the known range. */
  completeSince: moment(),
});
