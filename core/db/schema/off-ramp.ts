// Data that an off-ramp provider reports (settlement/off-ramp/bridge): the wallets of an account, and the part of its
// transfer list that has been read. The list serves only to find a transfer by our reference. The state of a transfer
// is queried each time.
import { sql } from "drizzle-orm";
import { index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { address, moment, now, units } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

const epoch = sql`'epoch'`;

/**
 * A wallet of an account, confirmed by the provider. It is never deleted, because settlements reach its address for
 * months.
 */
export const offRampWallet = gatewaySchema.table(
  "off_ramp_wallet",
  {
    /** See payout.account. */
    account: text().notNull(),
    address: address().notNull(),
    /** The provider's id of the wallet. */
    walletId: text().notNull(),
    /** SHA-256 of the settings, including the API key, at the last confirmation. */
    settings: text().notNull(),
    verifiedAt: now(),
  },
  (t) => [primaryKey({ columns: [t.account, t.address] })],
);

/** A wallet's balance of a token when it was last read on chain, and the part of it that is allocated to payouts. */
export const offRampBalance = gatewaySchema.table(
  "off_ramp_balance",
  {
    /** In lower case. */
    token: address().notNull(),
    /** In lower case. */
    wallet: address().notNull(),
    balance: units().notNull(),
    /** Exceeds the balance when funds have left the wallet and the provider has not reported it yet. */
    allocated: units().notNull(),
    /** The number of times that the balance has been stored. */
    revision: integer().notNull(),
    readAt: now(),
  },
  (t) => [primaryKey({ columns: [t.token, t.wallet] })],
);

/**
 * `active`: the account accepts new payments. `draining`: it accepts no new payments and no new payouts; payouts that
 * were already ordered are tracked until they end. `removed`: nothing is left in the account, and it may be removed
 * from the configuration.
 */
export type OffRampAccountState = "active" | "draining" | "removed";

/** The operators' decision about an account, and whether the account responds. An account without a row is active. */
export const offRampAccount = gatewaySchema.table("off_ramp_account", {
  /** See payout.account. */
  account: text().primaryKey(),
  state: text().$type<OffRampAccountState>().notNull().default("active"),
  /** Who made the last decision, and why. */
  changedBy: text(),
  reason: text(),
  changedAt: now(),
  /** When the account stopped responding. New payments and payouts prefer other accounts. Null if it responds. */
  failingSince: moment(),
});

/** A transfer in the provider's list. */
export const providerTransfer = gatewaySchema.table(
  "provider_transfer",
  {
    /** The owner of the list: the provider's address and our account there. */
    account: text().notNull(),
    providerId: text().notNull(),
    reference: text().notNull(),
    /** By the provider's clock. */
    createdAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.account, t.providerId] }), index().on(t.account, t.reference)],
);

/** A search for a reference. It is deleted when the transfer is found, or proven not to exist. */
export const transferLookup = gatewaySchema.table(
  "transfer_lookup",
  {
    account: text().notNull(),
    reference: text().notNull(),
    /** Only a scan that began at or after this time can prove that the transfer does not exist. */
    since: now(),
    /** The transfer cannot have been created before this time. */
    notBefore: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.account, t.reference] })],
);

/** The progress of the scan of a list, which starts at the newest transfer, and the lease of the scanning process. */
export const transferListScan = gatewaySchema.table("transfer_list_scan", {
  account: text().primaryKey(),
  /** The process that holds the lease, and the end of the lease. */
  reader: text(),
  readUntil: moment().notNull().default(epoch),
  /** `provider_transfer` contains every transfer that was created between these times. They are not read again. */
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
