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
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import type { Address } from "viem";
import type { ActorType } from "../audit/actors.ts";
import type { FundingMethod } from "../chain/funding-methods.ts";
import type { StoredTerms } from "../chain/terms.ts";
import type { EventData } from "../events/event-data.ts";
import type { IntentId, OrderId } from "../ids.ts";
import type { IntentStatus } from "../intent/status.ts";
import type { Currency } from "../money.ts";
import { address, hex, moment, now, units } from "./columns.ts";

export const gateway = pgSchema("gateway");

const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });

export type Mode = "test" | "live";

export const merchant = gateway.table("merchant", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  /** Where released funds belong: `payee` on chain, `contractMerchantId` in the API. */
  account: address().notNull(),
  createdAt: now(),
});

/** What a key may do: see core/api-keys.ts. */
export type Access = "full" | "no_release" | "read_only";

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
    /** What its owner calls it, and what he knows it by: its prefix and its last four characters. */
    name: text(),
    hint: text().notNull().default(""),
    access: text().$type<Access>().notNull().default("full"),
    /** Recorded at most once a minute. */
    lastUsedAt: moment(),
    /** After a rotation: when the old key stops. */
    expiresAt: moment(),
    replacedBy: text(),
    createdAt: now(),
    revokedAt: moment(),
  },
  (t) => [index().on(t.merchantId)],
);

/** Requests counted by several API processes (rate-limiter-flexible writes it). Unlogged: a crash forgets a window. */
export const rateLimit = gateway.table("rate_limit", {
  key: varchar({ length: 255 }).primaryKey(),
  points: integer().notNull().default(0),
  /** Unix milliseconds. */
  expire: bigint({ mode: "number" }),
});

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
    /** The highest indexed block that was ever read: see core/db/high-water-mark.ts. */
    highWaterBlock: bigint({ mode: "number" }).notNull().default(0),
    /** The ledger has everything that happened up to this block: see settlement/ledger. */
    ledgerBlock: bigint({ mode: "number" }).notNull().default(0),
    createdAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.chainId, t.genesisHash, t.contract),
    uniqueIndex("deployment_one_current").on(t.current).where(sql`${t.current}`),
  ],
);

/** The last blocks that the indexer was seen to have reached, as the chain had them then. */
export const indexedBlock = gateway.table(
  "indexed_block",
  {
    deploymentId: text()
      .notNull()
      .references(() => deployment.id),
    number: bigint({ mode: "number" }).notNull(),
    hash: hex().notNull(),
  },
  (t) => [primaryKey({ columns: [t.deploymentId, t.number] })],
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
    /** The signature that was relayed last, the way of funding that says over what, and who signed. */
    signature: hex(),
    fundingMethod: text().$type<FundingMethod>(),
    signer: address(),
    signedAt: moment(),
    canceledAt: moment(),
    /** What the last event said: an index for lists, and all that is left of a chain that is gone. */
    lastSeenStatus: text().$type<IntentStatus>().notNull().default("INITIATED"),
    /** The block that last changed the order, of what was told of it. */
    escrowTold: text(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [
    // Lists: all, of a status, of a currency, by metadata.
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    index().on(t.merchantId, t.mode, t.lastSeenStatus, t.createdAt, t.id),
    index().on(t.merchantId, t.mode, t.currency, t.createdAt, t.id),
    index("intent_metadata").using("gin", sql`${t.metadata} jsonb_path_ops`),
    index("intent_can_change")
      .on(t.deploymentId, t.id)
      .where(sql`${t.lastSeenStatus} not in ('FINAL', 'CANCELED')`),
    index("intent_changed").on(t.updatedAt).where(sql`${t.lastSeenStatus} not in ('FINAL', 'CANCELED')`),
    index("intent_processing").on(t.id).where(sql`${t.lastSeenStatus} = 'PROCESSING'`),
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

/**
 * Fiat for one on-chain settlement, or for its part: each milestone is paid by itself, also where several were settled
 * together. An attempt n+1 exists only after attempt n failed or was returned.
 */
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
    /** Which part of the settlement, from 0. The parts are planned at once and make up the whole. */
    part: integer().notNull().default(0),
    settlementTxHash: hex().notNull(),
    /** Where the settlement was when the payout was planned. Null for payouts older than this column. */
    settlementBlock: bigint({ mode: "number" }),
    attempt: integer().notNull(),
    method: text().$type<SettlementMethod>().notNull(),
    destination: text().notNull(),
    amount: units().notNull(),
    /** What the provider has kept of it, by its own word; the rest arrived. */
    fee: units().notNull().default(sql`0`),
    currency: text().$type<Currency>().notNull(),
    /** The intent's, kept here for lists: a trigger fills them in, whoever inserts. */
    merchantId: text().notNull().default(""),
    mode: text().$type<Mode>().notNull().default("test"),
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
    /** The state that an event has told. */
    toldState: text().$type<PayoutState>(),
    /** The state that the ledger knows. */
    postedState: text().$type<PayoutState>(),
  },
  (t) => [
    uniqueIndex().on(t.intentId, t.settlementId, t.part, t.attempt),
    index("payout_untold")
      .on(t.updatedAt)
      .where(
        sql`${t.state} in ('completed', 'failed', 'returned') and ${t.toldState} is distinct from ${t.state}`,
      ),
    index("payout_unposted")
      .on(t.intentId)
      .where(
        sql`${t.state} in ('completed', 'failed', 'returned') and ${t.postedState} is distinct from ${t.state}`,
      ),
    index().on(t.settlementBlock),
    index("payout_due").on(t.nextLookAt).where(sql`${t.nextLookAt} is not null`),
    index().on(t.updatedAt),
    index().on(t.finalAt),
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    index("payout_failed").on(t.intentId).where(sql`${t.state} in ('failed', 'returned')`),
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

/**
 * What happened, told once: a transition that the read model showed for the first time, or a fact of the escrow or of a
 * payout. Webhooks hang on this row alone. Written by core/events/record-events.ts and nothing else.
 */
export const event = gateway.table(
  "event",
  {
    id: text().primaryKey(),
    /** The order of lists among events of one moment. */
    position: bigint({ mode: "number" }).notNull().generatedAlwaysAsIdentity(),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    /** Null for what concerns no intent: `webhook.test`. */
    intentId: text()
      .$type<IntentId>()
      .references(() => intent.id),
    /** The order in which things happened to the intent: 1, 2, 3 and so on. */
    sequence: integer(),
    type: text().notNull(),
    fromStatus: text().$type<IntentStatus>(),
    /** Null for what is not a transition of the intent. */
    toStatus: text().$type<IntentStatus>(),
    /**
     * Hash of the block that decided it, or of the transaction, or the payout's id; empty where time or a person did,
     * and where it happens only once. For what is not a transition: which of its kind.
     */
    decidedBy: text().notNull(),
    /** What the merchant is told: the object as it was, and what it was before. */
    data: jsonb().$type<EventData>().notNull(),
    createdAt: now(),
  },
  (t) => [
    uniqueIndex().on(t.intentId, t.type, t.toStatus, t.decidedBy),
    uniqueIndex("event_fact").on(t.intentId, t.type, t.decidedBy).where(sql`${t.toStatus} is null`),
    uniqueIndex().on(t.intentId, t.sequence),
    index().on(t.intentId, t.createdAt),
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.type, t.createdAt, t.position),
    index("event_metadata").using("gin", sql`(${t.data} -> 'object' -> 'metadata') jsonb_path_ops`),
  ],
);

/** Where a merchant wants to be told of events. */
export const webhookEndpoint = gateway.table(
  "webhook_endpoint",
  {
    id: text().primaryKey(),
    merchantId: text()
      .notNull()
      .references(() => merchant.id),
    mode: text().$type<Mode>().notNull(),
    url: text().notNull(),
    description: text(),
    /** Types, `payment_intent.*` and the like, or `*`. */
    enabledEvents: jsonb().$type<string[]>().notNull(),
    status: text().$type<"enabled" | "disabled">().notNull().default("enabled"),
    /** `gone`: the endpoint answered 410. `merchant`: its owner said so. */
    disabledReason: text().$type<"gone" | "merchant">(),
    /** Encrypted (core/events/secret-box.ts), because it must sign. */
    secret: bytea().notNull(),
    /** Signs as well until then. */
    previousSecret: bytea(),
    previousSecretUntil: moment(),
    /** Asked by Retry-After to wait. */
    pausedUntil: moment(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [index().on(t.merchantId, t.mode, t.createdAt)],
);

export type DeliveryStatus = "pending" | "succeeded" | "failed";

/** One event on its way to one endpoint. Its row is written in the transaction of the event. */
export const webhookDelivery = gateway.table(
  "webhook_delivery",
  {
    id: text().primaryKey(),
    endpointId: text()
      .notNull()
      .references(() => webhookEndpoint.id, { onDelete: "cascade" }),
    eventId: text()
      .notNull()
      .references(() => event.id),
    intentId: text().$type<IntentId>(),
    /** The event's. */
    position: bigint({ mode: "number" }).notNull(),
    status: text().$type<DeliveryStatus>().notNull().default("pending"),
    /** Attempts since it was last asked for; the backoff counts them. */
    attempts: integer().notNull().default(0),
    /** When it is due; while an attempt is under way, when that must be over. Null: nothing is left to do. */
    nextAttemptAt: moment().default(sql`clock_timestamp()`),
    /** Names the attempt that is under way. */
    lease: text(),
    createdAt: now(),
  },
  (t) => [
    index("webhook_delivery_due")
      .on(t.endpointId, t.nextAttemptAt, t.position)
      .where(sql`${t.nextAttemptAt} is not null`),
    index("webhook_delivery_of_intent")
      .on(t.endpointId, t.intentId, t.position)
      .where(sql`${t.nextAttemptAt} is not null`),
    index("webhook_delivery_failed").on(t.createdAt).where(sql`${t.status} = 'failed'`),
    index().on(t.endpointId, t.position),
    index().on(t.eventId),
  ],
);

/** What came of one attempt. */
export const webhookAttempt = gateway.table(
  "webhook_attempt",
  {
    id: text().primaryKey(),
    deliveryId: text()
      .notNull()
      .references(() => webhookDelivery.id, { onDelete: "cascade" }),
    statusCode: integer(),
    error: text(),
    /** The beginning of what the endpoint answered. */
    response: text(),
    durationMs: integer().notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.deliveryId, t.createdAt)],
);

const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

/**
 * Who did what. Rows are added and never changed: a trigger refuses it to everybody, and the role `gateway_app` may not
 * even try. No bank details, no secrets.
 */
export const auditLog = gateway.table(
  "audit_log",
  {
    /** Before `position`, so that a row's transaction is known as running when its position is taken: see the sealer. */
    transactionId: transactionId().notNull().default(sql`pg_current_xact_id()`),
    position: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    id: text().notNull().unique(),
    merchantId: text(),
    mode: text().$type<Mode>(),
    actorType: text().$type<ActorType>().notNull(),
    /** The key's or the user's id, or an address; null for the service itself. */
    actor: text(),
    action: text().notNull(),
    intentId: text().$type<IntentId>(),
    /** What else it was done to: a milestone, a payout, a webhook endpoint. */
    resourceId: text(),
    fromStatus: text(),
    toStatus: text(),
    requestId: text(),
    /** The intent's, so that it can be found by what the merchant knows it by. */
    metadata: jsonb().$type<Record<string, unknown>>().notNull().default({}),
    createdAt: now(),
  },
  (t) => [
    index().on(t.merchantId, t.mode, t.createdAt, t.position),
    index().on(t.merchantId, t.mode, t.action, t.createdAt, t.position),
    index().on(t.intentId, t.createdAt),
    index("audit_log_metadata").using("gin", sql`${t.metadata} jsonb_path_ops`),
  ],
);

/** A link of the chain over the audit log: the rows of a range of positions, hashed upon the link before. */
export const auditSeal = gateway.table("audit_seal", {
  id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
  /** The range is without gaps: begins where the last one ended. Positions in it may have no row. */
  firstPosition: bigint({ mode: "number" }).notNull().unique(),
  lastPosition: bigint({ mode: "number" }).notNull(),
  /** `position:hash` of each row, so that a break can be told to the row. */
  leaves: text().array().notNull(),
  previousHash: text().notNull().unique(),
  hash: text().notNull(),
  createdAt: now(),
});
