// What the relayer has signed and sent, and what was told of payers' own transactions.
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, numeric, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { IntentId, OrderId } from "../ids.ts";
import { address, hex, now } from "./columns.ts";
import { deployment, gateway, intent } from "./schema.ts";

/** The next nonce of a signing key on a chain. Its row lock is the order in which transactions are signed. */
export const signer = gateway.table(
  "signer",
  {
    deploymentId: text()
      .notNull()
      .references(() => deployment.id),
    address: address().notNull(),
    nextNonce: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.deploymentId, t.address] })],
);

export type TransactionPurpose =
  | "create_order"
  | "mark_shipped"
  | "submit_delivery_proof"
  | "release"
  | "release_milestone"
  | "release_time_locked"
  | "refund"
  | "raise_dispute"
  | "resolve_dispute"
  | "resolve_expired_dispute"
  | "settle"
  /** By the guardian, of a token and no order. */
  | "delist_token"
  /** Does nothing: it uses a nonce of which nobody has a transaction, because later ones wait for it. */
  | "fill_nonce";

/**
 * `pending`: not seen in a block. `mined`: in a block that may still go. `final`: deep enough to rely on.
 * `dropped`: its nonce went to another transaction, so that it cannot be mined unless a reorg takes that one back.
 */
export type TransactionState = "pending" | "mined" | "final" | "dropped";

/** A call that the relayer makes: one nonce, one purpose, for ever. */
export const transaction = gateway.table(
  "transaction",
  {
    id: text().primaryKey(),
    deploymentId: text()
      .notNull()
      .references(() => deployment.id),
    signer: address().notNull(),
    nonce: integer().notNull(),
    purpose: text().$type<TransactionPurpose>().notNull(),
    to: address().notNull(),
    data: hex().notNull(),
    gas: bigint({ mode: "bigint" }).notNull(),
    state: text().$type<TransactionState>().notNull().default("pending"),
    /** Set while `mined` or `final`: did the call succeed, where, and by which attempt. */
    succeeded: boolean(),
    blockNumber: bigint({ mode: "number" }),
    minedHash: hex(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.deploymentId, t.signer, t.nonce),
    index().on(t.updatedAt),
    index("transaction_unresolved")
      .on(t.deploymentId, t.createdAt)
      .where(sql`${t.state} in ('pending', 'mined')`),
  ],
);

/** A signed form of a transaction. All have its nonce, so at most one is ever mined; every one is kept. */
export const transactionAttempt = gateway.table(
  "transaction_attempt",
  {
    hash: hex().primaryKey(),
    transactionId: text()
      .notNull()
      .references(() => transaction.id),
    raw: hex().notNull(),
    maxFeePerGas: numeric({ precision: 40, scale: 0, mode: "bigint" }).notNull(),
    maxPriorityFeePerGas: numeric({ precision: 40, scale: 0, mode: "bigint" }).notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.transactionId, t.createdAt)],
);

/** Which orders a transaction acts on. */
export const transactionOrder = gateway.table(
  "transaction_order",
  {
    transactionId: text()
      .notNull()
      .references(() => transaction.id),
    orderId: text().$type<OrderId>().notNull(),
    purpose: text().$type<TransactionPurpose>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.transactionId, t.orderId] }), index().on(t.orderId, t.purpose)],
);

/** The payer's own transaction, told by the payment page and checked over RPC. A hint: it decides nothing. */
export const transactionHint = gateway.table(
  "transaction_hint",
  {
    intentId: text()
      .$type<IntentId>()
      .primaryKey()
      .references(() => intent.id),
    hash: hex().notNull(),
    payer: address().notNull(),
    failed: boolean().notNull().default(false),
    createdAt: now(),
  },
  (t) => [index().on(t.createdAt)],
);
