// Transactions that the relayer has signed and sent, and payers' transactions that were reported to us.
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  foreignKey,
  index,
  integer,
  numeric,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { IntentId, OrderId } from "../../ids.ts";
import { address, deflatedHex, hex, now, units } from "./columns.ts";
import { deploymentId } from "./deployments.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";

/** The next nonce of a signing key on a chain. Its row lock is the order in which transactions are signed. */
export const signer = gatewaySchema.table(
  "signer",
  {
    deploymentId: deploymentId(),
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
  /** By the guardian; concerns a token and no order. */
  | "delist_token"
  /** Does nothing: it fills a nonce gap, for which later transactions wait. */
  | "fill_nonce";

/**
 * `pending`: not seen in a block. `mined`: in a block that a reorg may remove. `final`: beyond any reorg that we handle.
 * `dropped`: another transaction has its nonce, so that it cannot be mined unless a reorg removes that one.
 */
export type TransactionState = "pending" | "mined" | "final" | "dropped";

/** A call by the relayer. Its nonce is never given another purpose. */
export const transaction = gatewaySchema.table(
  "transaction",
  {
    id: text().primaryKey(),
    deploymentId: deploymentId(),
    signer: address().notNull(),
    nonce: integer().notNull(),
    purpose: text().$type<TransactionPurpose>().notNull(),
    state: text().$type<TransactionState>().notNull().default("pending"),
    /** Set while `mined` or `final`: did the call succeed, where, and by which attempt. */
    succeeded: boolean(),
    blockNumber: bigint({ mode: "number" }),
    blockHash: hex(),
    minedHash: hex(),
    /** What its gas cost, in wei, where it succeeded or not: with the rollup's charge for data, if the receipt names one. */
    networkFee: units(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.deploymentId, t.signer, t.nonce),
    index("transaction_unresolved")
      .on(t.deploymentId, t.createdAt)
      .where(sql`${t.state} in ('pending', 'mined')`),
  ],
);

/** A signed form of a transaction. All have its nonce, so at most one is ever mined; every one is kept. */
export const transactionAttempt = gatewaySchema.table(
  "transaction_attempt",
  {
    hash: hex().primaryKey(),
    transactionId: text()
      .notNull()
      .references(() => transaction.id),
    /** Signed and serialized (EIP-2718), deflated: the call is in it, and nowhere else. */
    raw: deflatedHex().notNull(),
    maxFeePerGas: numeric({ precision: 40, scale: 0, mode: "bigint" }).notNull(),
    maxPriorityFeePerGas: numeric({ precision: 40, scale: 0, mode: "bigint" }).notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.transactionId, t.createdAt)],
);

/** Which orders a transaction acts on. */
export const transactionOrder = gatewaySchema.table(
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

/** The payer's own transaction as the payment page reported it, checked over RPC. It decides nothing: the chain does. */
export const reportedTransaction = gatewaySchema.table(
  "reported_transaction",
  {
    merchantId: text().notNull(),
    intentId: text().$type<IntentId>().notNull(),
    hash: hex().notNull(),
    payer: address().notNull(),
    failed: boolean().notNull().default(false),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.intentId, t.merchantId] }),
    foreignKey({
      name: "reported_transaction_intent_fk",
      columns: [t.intentId, t.merchantId],
      foreignColumns: [intent.id, intent.merchantId],
    }),
    index().on(t.createdAt),
  ],
);
