// Transactions that the relayer has signed and sent, and transactions that payers reported.
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
import {
  address,
  addressBytes,
  deflatedHex,
  hex,
  idColumn,
  intentId,
  merchantKey,
  now,
  orderId,
  units,
} from "./columns.ts";
import { deploymentId } from "./deployments.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { intent } from "./intents.ts";

/**
 * The next nonce of a signing key on a chain. The lock on this row determines the order in which transactions are
 * signed.
 */
export const signer = gatewaySchema.table(
  "signer",
  {
    deploymentId: deploymentId(),
    address: addressBytes().notNull(),
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
  /** Sent by the guardian. It concerns a token and no order. */
  | "delist_token"
  /** Has no effect except to fill a nonce gap that blocks later transactions. */
  | "fill_nonce";

/**
 * `pending`: not seen in a block. `mined`: in a block that a reorg may remove. `final`: beyond any reorg that we
 * handle. `dropped`: another transaction used the nonce, so this one cannot be mined unless a reorg removes the other
 * one.
 */
export type TransactionState = "pending" | "mined" | "final" | "dropped";

/** A call by the relayer. Its nonce is never reused for another purpose. */
export const transaction = gatewaySchema.table(
  "transaction",
  {
    id: idColumn("tx").primaryKey(),
    /** Without a foreign key, as in `intent`. */
    deploymentId: integer().notNull(),
    signer: addressBytes().notNull(),
    nonce: integer().notNull(),
    purpose: text().$type<TransactionPurpose>().notNull(),
    state: text().$type<TransactionState>().notNull().default("pending"),
    /** Whether only a reorg can change the state. */
    resolved: boolean().notNull().generatedAlwaysAs(sql`"state" in ('final', 'dropped')`),
    /** Whether the ledger contains the fee of the final transaction. A trigger resets it when a reorg changes the outcome. */
    feePosted: boolean().notNull().default(false),
    /**
     * Whether anything remains to be done: the transaction is not resolved, or its fee is not posted. No index contains the
     * state itself, so that `mined` and `final` are heap-only updates.
     */
    open: boolean()
      .notNull()
      .generatedAlwaysAs(sql`"state" in ('pending', 'mined') or "state" = 'final' and not "fee_posted"`),
    /**
     * Set while `mined` or `final`: whether the call succeeded, the block that contains it, and the attempt that was
     * mined.
     */
    succeeded: boolean(),
    blockNumber: bigint({ mode: "number" }),
    blockHash: hex(),
    minedHash: hex(),
    /**
     * The network fee in wei, whether the call succeeded or not. It includes the rollup's data fee if the receipt
     * contains one.
     */
    networkFee: units(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.deploymentId, t.signer, t.nonce),
    index("transaction_open").on(t.deploymentId, t.createdAt).where(sql`${t.open}`),
  ],
);

/**
 * A signed version of a transaction. All versions have the transaction's nonce, so at most one of them is ever mined.
 * Every version is kept.
 */
export const transactionAttempt = gatewaySchema.table(
  "transaction_attempt",
  {
    hash: hex().primaryKey(),
    transactionId: idColumn("tx")
      .notNull()
      .references(() => transaction.id),
    /** The signed and serialized transaction (EIP-2718), deflated. The call is stored only here. */
    raw: deflatedHex().notNull(),
    maxFeePerGas: numeric({ precision: 40, scale: 0, mode: "bigint" }).notNull(),
    maxPriorityFeePerGas: numeric({ precision: 40, scale: 0, mode: "bigint" }).notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.transactionId, t.createdAt)],
);

/** The orders that a transaction acts on. */
export const transactionOrder = gatewaySchema.table(
  "transaction_order",
  {
    transactionId: idColumn("tx")
      .notNull()
      .references(() => transaction.id),
    orderId: orderId().notNull(),
    purpose: text().$type<TransactionPurpose>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.transactionId, t.orderId] }), index().on(t.orderId, t.purpose)],
);

/**
 * The payer's own transaction, as reported by the payment page and checked over RPC. Only the chain decides whether the
 * payment is made.
 */
export const reportedTransaction = gatewaySchema.table(
  "reported_transaction",
  {
    merchantId: merchantKey().notNull(),
    intentId: intentId().notNull(),
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
