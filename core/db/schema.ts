// What the chain cannot know: merchants, keys, intents' terms, signed transactions, payouts, events.
// An intent's status is not here: it is derived (core/db/read-intent.ts).
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  customType,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import type { StoredTerms } from "../chain/terms.ts";
import type { IntentId, OrderId } from "../ids.ts";
import type { IntentStatus } from "../intent/status.ts";
import type { Currency } from "../money.ts";

export const gateway = pgSchema("gateway");

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
const hex = () => text().$type<Hex>();
const address = () => text().$type<Address>();
const units = () => numeric({ precision: 40, scale: 0, mode: "bigint" });
const moment = () => timestamp({ withTimezone: true, mode: "date" });
const now = () => moment().notNull().default(sql`clock_timestamp()`);

export type Mode = "test" | "live";

export const merchant = gateway.table("merchant", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** Where released funds belong: `payee` on chain, `contractMerchantId` in the API. */
  account: address().notNull(),
  createdAt: now(),
});

export const apiKey = gateway.table(
  "api_key",
  {
    id: text().primaryKey(),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    /** SHA-256 of the key: 256 random bits need no slow hash. The key itself is nowhere. */
    hash: bytea().notNull().unique(),
    createdAt: now(),
    revokedAt: moment(),
  },
  (t) => [index().on(t.merchantId)],
);

/** A contract on a chain that began with a certain genesis. At most one is current. */
export const deployment = gateway.table(
  "deployment",
  {
    id: text().primaryKey(),
    chainId: integer().notNull(),
    genesisHash: hex().notNull(),
    contract: address().notNull(),
    startBlock: bigint({ mode: "number" }).notNull(),
    tokens: jsonb().$type<Record<Currency, Address>>().notNull(),
    current: boolean().notNull(),
    /** The highest indexed block that was ever read, and its hash: see core/db/guard.ts. */
    highWaterBlock: bigint({ mode: "number" }).notNull().default(0),
    highWaterHash: hex(),
    createdAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.chainId, t.genesisHash, t.contract),
    uniqueIndex("deployment_one_current").on(t.current).where(sql`${t.current}`),
  ],
);

export type IntentType = "CONDITIONAL" | "DELIVERY_VS_PAYMENT";
export type SettlementMethod = "OFF_RAMP_MOCK" | "OFF_RAMP_TO_RTP" | "OFF_RAMP_TO_BANK";

export const intent = gateway.table(
  "intent",
  {
    id: text().$type<IntentId>().primaryKey(),
    orderId: text().$type<OrderId>().notNull().unique(),
    deploymentId: text()
      .notNull()
      .references(() => deployment.id),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    type: text().$type<IntentType>().notNull(),
    amount: units().notNull(),
    currency: text().$type<Currency>().notNull(),
    description: text(),
    settlementMethod: text().$type<SettlementMethod>().notNull(),
    settlementDestination: text().notNull(),
    estimatedFee: text().notNull(),
    estimatedDeliveryTime: text().notNull(),
    terms: jsonb().$type<StoredTerms>().notNull(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull(),
    /** Who the payment page says will pay; anyone else may pay all the same. */
    payer: address(),
    /** The signature that was relayed last, and who signed. */
    signature: hex(),
    signer: address(),
    signedAt: moment(),
    canceledAt: moment(),
    /** What the last event said: an index for lists, and all that is left of a chain that is gone. */
    lastSeenStatus: text().$type<IntentStatus>().notNull().default("INITIATED"),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [
    index().on(t.merchantId, t.createdAt, t.id),
    index("intent_can_change")
      .on(t.deploymentId, t.id)
      .where(sql`${t.lastSeenStatus} not in ('FINAL', 'CANCELED')`),
    index("intent_canceled").on(t.deploymentId, t.updatedAt).where(sql`${t.lastSeenStatus} = 'CANCELED'`),
    check("intent_id_is_order_id", sql`${t.id} = 'intent_' || substr(${t.orderId}, 3)`),
  ],
);

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
  | "refund";

/**
 * `pending`: not seen in a block. `mined`: in a block that may still go. `final`: deep enough to rely on.
 * `dropped`: its nonce went to another transaction, so it can never be mined.
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
export const transactionHint = gateway.table("transaction_hint", {
  intentId: text()
    .$type<IntentId>()
    .primaryKey()
    .references(() => intent.id),
  hash: hex().notNull(),
  payer: address().notNull(),
  failed: boolean().notNull().default(false),
  createdAt: now(),
});

/** What a merchant said with a delivery proof; that it was accepted, the chain says. */
export const deliveryProof = gateway.table(
  "delivery_proof",
  {
    id: text().primaryKey(),
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    proofHash: hex().notNull(),
    proofUri: text(),
    submittedBy: address().notNull(),
    submitTxHash: hex().notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.intentId, t.createdAt)],
);

/** A part of a MILESTONE_LOCKED payment as the merchant planned it. That it was released, the chain says. */
export const milestone = gateway.table(
  "milestone",
  {
    id: text().primaryKey(),
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    milestoneIndex: integer().notNull(),
    description: text(),
    amount: units().notNull(),
    /** 0 to 100, as the merchant said it; nothing is computed from it. */
    percentage: doublePrecision(),
    completedAt: moment(),
    completedBy: address(),
    completionProof: text(),
    completionProofUri: text(),
    createdAt: now(),
  },
  (t) => [uniqueIndex().on(t.intentId, t.milestoneIndex)],
);

/**
 * `created`: stored, the provider may or may not know it. `submitted`: the provider has accepted it.
 * `completed`: the provider has paid. `failed`, `returned`: the provider says that no money arrived.
 * `quarantined`: the provider's answer was ambiguous; a look-up by reference will tell.
 */
export type PayoutState = "created" | "submitted" | "completed" | "failed" | "returned" | "quarantined";

/** Fiat for one on-chain settlement. An attempt n+1 exists only after attempt n failed or was returned. */
export const payout = gateway.table(
  "payout",
  {
    id: text().primaryKey(),
    /** Names chain, genesis, contract, order, settlement and attempt; the provider knows the payout by it. */
    reference: text().notNull().unique(),
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    /** `chain.settlement.id`: which settlement of the order. */
    settlementId: text().notNull(),
    settlementTxHash: hex().notNull(),
    attempt: integer().notNull(),
    method: text().$type<SettlementMethod>().notNull(),
    destination: text().notNull(),
    amount: units().notNull(),
    currency: text().$type<Currency>().notNull(),
    state: text().$type<PayoutState>().notNull().default("created"),
    providerId: text(),
    failure: text(),
    createdAt: now(),
    updatedAt: now(),
    completedAt: moment(),
    /** When the return window closes. */
    finalAt: moment(),
    /**
     * When a worker may take it up (again): moved on, before the provider is called, past the time that the call can
     * last, so that nobody else calls meanwhile, however the worker ends. Null: nothing is left to do.
     */
    nextLookAt: moment().default(sql`clock_timestamp()`),
  },
  (t) => [
    uniqueIndex().on(t.intentId, t.settlementId, t.attempt),
    index("payout_due").on(t.nextLookAt).where(sql`${t.nextLookAt} is not null`),
  ],
);

/** What a POST with an Idempotency-Key answered. Its row is written in the transaction of the effect. */
export const idempotencyKey = gateway.table(
  "idempotency_key",
  {
    /** Merchant (or `public`), method and path. */
    scope: text().notNull(),
    key: text().notNull(),
    /** SHA-256 of the body. */
    digest: bytea().notNull(),
    /** Who is at work on it, and until when nobody else may try. */
    owner: text().notNull(),
    leaseUntil: moment().notNull(),
    /** The answer, once there is one. */
    status: integer(),
    body: text(),
    createdAt: now(),
  },
  (t) => [primaryKey({ columns: [t.scope, t.key] }), index().on(t.createdAt)],
);

/** A transition that the read model showed for the first time. Webhooks and audit log hang on this row alone. */
export const event = gateway.table(
  "event",
  {
    id: text().primaryKey(),
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    type: text().notNull(),
    fromStatus: text().$type<IntentStatus>(),
    toStatus: text().$type<IntentStatus>().notNull(),
    /** Hash of the block that decided it, or of the transaction, or the payout's id; empty where time or a person did. */
    decidedBy: text().notNull(),
    createdAt: now(),
  },
  (t) => [uniqueIndex().on(t.intentId, t.type, t.toStatus, t.decidedBy), index().on(t.intentId, t.createdAt)],
);
