// What the chain cannot know: merchants, keys, and what merchants asked for.
// An intent's status is not here: it is derived (core/db/read-intent.ts).
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import type { Address } from "viem";
import type { FundingMethod } from "../chain/funding-methods.ts";
import type { StoredTerms } from "../chain/terms.ts";
import type { IntentId, OrderId } from "../ids.ts";
import type { IntentStatus } from "../intent/status.ts";
import type { Currency } from "../money.ts";
import { address, bytea, hex, moment, now, units } from "./columns.ts";

export const gateway = pgSchema("gateway");

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

/** A contract and its tokens on a chain that began with a certain genesis. At most one is current. */
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
    /** Names the settings that were compared with the chain, when, and by which command: see core/deployment.ts. */
    verifiedHash: hex(),
    verifiedAt: moment(),
    verifiedBy: text(),
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
    index("intent_canceled_by_merchant")
      .on(t.createdAt, t.deploymentId, t.orderId, t.id)
      .where(sql`${t.lastSeenStatus} = 'CANCELED' and ${t.canceledAt} is not null`),
    check("intent_id_is_order_id", sql`${t.id} = 'intent_' || substr(${t.orderId}, 3)`),
  ],
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
/**
 * Whom the caller of operation 8 named as the raiser of a dispute (spec, "Dispute"). On chain the operator raises it for
 * the merchant's side unless the payer signed. `side`: 0 payer, 1 merchant; each raises one.
 */
export const disputeRaiser = gateway.table(
  "dispute_raiser",
  {
    intentId: text()
      .$type<IntentId>()
      .notNull()
      .references(() => intent.id),
    side: integer().notNull(),
    raisedBy: address().notNull(),
    createdAt: now(),
  },
  (table) => [primaryKey({ columns: [table.intentId, table.side] })],
);

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
  (t) => [
    uniqueIndex().on(t.intentId, t.milestoneIndex),
    index("milestone_completed").on(t.intentId, t.milestoneIndex).where(sql`${t.completedAt} is not null`),
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
