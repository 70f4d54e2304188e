// What an off-ramp provider has said (settlement/offramp/bridge): which wallets an account has, and what was read of its
// list of transfers. That list is kept only to find a transfer by our reference: what became of it is asked each time.
import { sql } from "drizzle-orm";
import { index, primaryKey, text } from "drizzle-orm/pg-core";
import { address, moment, now } from "./columns.ts";
import { gateway } from "./schema.ts";

const epoch = sql`'epoch'`;

/** A wallet of an account, as the provider has confirmed it. Never deleted: settlements go to its address for months. */
export const offRampWallet = gateway.table(
  "off_ramp_wallet",
  {
    /** See payout.account. */
    account: text().notNull(),
    address: address().notNull(),
    /** By which the provider knows it. */
    walletId: text().notNull(),
    /** SHA-256 of the settings, API key included, with which the provider confirmed it last. */
    settings: text().notNull(),
    verifiedAt: now(),
  },
  (t) => [primaryKey({ columns: [t.account, t.address] })],
);

/** A transfer that the list has shown. */
export const listedTransfer = gateway.table(
  "listed_transfer",
  {
    /** Whose list: the provider's address and our account there. */
    account: text().notNull(),
    providerId: text().notNull(),
    reference: text().notNull(),
    /** By the provider's clock. */
    createdAt: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.account, t.providerId] }), index().on(t.account, t.reference)],
);

/** A reference that is looked for. The row goes when it was found, or was proven to be in no list. */
export const wantedTransfer = gateway.table(
  "wanted_transfer",
  {
    account: text().notNull(),
    reference: text().notNull(),
    /** Only a reading that began at this moment or later can prove that it is not there. */
    since: now(),
    /** Its transfer cannot be older. */
    notBefore: moment().notNull(),
  },
  (t) => [primaryKey({ columns: [t.account, t.reference] })],
);

/** How far a list was read, and by whom it is read now. Lists are read from the newest transfer down. */
export const listReading = gateway.table("list_reading", {
  account: text().primaryKey(),
  /** Whoever reads has this name and goes on until then; afterwards somebody else may. */
  reader: text(),
  readUntil: moment().notNull().default(epoch),
  /** Everything created from the one moment until the other is in `listed_transfer`, and is never read again. */
  knownFrom: moment(),
  knownFromId: text(),
  knownUntil: moment(),
  /** The reading that is under way: when it began, the last transfer it saw, and what it adds to what is known. */
  beganAt: moment(),
  lastId: text(),
  lastAt: moment(),
  knownNext: moment(),
  /** When the last reading began that came down to what was known. */
  completeSince: moment(),
});
