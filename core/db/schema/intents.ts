// Payment data that is not on chain: what the merchant requested and reported.
// An intent's status is derived, not stored (core/intent/read-intent.ts).
import { sql } from "drizzle-orm";
import {
  check,
  customType,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { FundingMethod } from "../../chain/funding-methods.ts";
import { PACKED_TERMS_LENGTH, packTerms, unpackTerms } from "../../chain/pack-terms.ts";
import type { StoredTerms } from "../../chain/terms.ts";
import type { IntentStatus } from "../../model/intent-status.ts";
import type { MerchantStatus } from "../../model/merchant-status.ts";
import type { Mode } from "../../model/mode.ts";
import type { SettlementMethod } from "../../model/settlement-method.ts";
import type { Currency } from "../../money.ts";
import {
  address,
  type Bytes,
  hex,
  idColumn,
  intentId,
  METADATA_INDEX,
  merchantKey,
  moment,
  now,
  readBytes,
  units,
  writeBytes,
} from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { merchantId } from "./merchants.ts";
import { trackedOrder } from "./work.ts";

export type IntentType = "CONDITIONAL" | "DELIVERY_VS_PAYMENT";

/** An order's terms as packed bytes. SQL reads a field with `termsAddress` (core/db/as-text.ts). */
const orderTerms = customType<{ data: StoredTerms; driverData: Bytes }>({
  dataType: () => "bytea",
  toDriver: (terms) => writeBytes(packTerms(terms)),
  fromDriver: (bytes) => unpackTerms(readBytes(bytes)),
});

export const intent = gatewaySchema.table(
  "intent",
  {
    /** The id of the order, too: the same 32 bytes. */
    id: intentId().notNull(),
    /** Without a foreign key: every payment would lock the deployment's row, which all of them share. */
    deploymentId: integer().notNull(),
    merchantId: merchantId(),
    mode: text().$type<Mode>().notNull(),
    type: text().$type<IntentType>().notNull(),
    amount: units().notNull(),
    currency: text().$type<Currency>().notNull(),
    description: text(),
    settlementMethod: text().$type<SettlementMethod>().notNull(),
    settlementDestination: text().notNull(),
    estimatedFee: text().notNull(),
    estimatedDeliveryTime: text().notNull(),
    terms: orderTerms().notNull(),
    metadata: jsonb().$type<Record<string, unknown>>().notNull(),
    /**
     * The URLs to which the payment page sends the payer after a payment or a cancellation. They are checked against
     * the merchant's return hosts.
     */
    returnUrl: text(),
    cancelUrl: text(),
    /** The payer that the payment page has attached. Any other account is still allowed to pay. */
    payer: address(),
    /** The last signature that was submitted and relayed, as it was sent, its funding method, and its signer. */
    signature: hex(),
    fundingMethod: text().$type<FundingMethod>(),
    signer: address(),
    signedAt: moment(),
    canceledAt: moment(),
    /**
     * The status of the last event. It is shown if the deployment is not current. No index contains this column, so that
     * a new status is a heap-only update: lists find an intent by `intent_by_status`.
     */
    lastEmittedStatus: text().$type<IntentStatus>().notNull().default("INITIATED"),
    /** The merchant status, written together with the last event. */
    lastEmittedMerchantStatus: text().$type<MerchantStatus>().notNull().default("AWAITING_PAYMENT"),
    /** The status of the last event, and when it was emitted, if the intent has ended with it. A trigger sets both. */
    endedAs: text().$type<"FINAL" | "CANCELED">(),
    endedAt: moment(),
    /** The hash of the block up to which the order's changes have been emitted as events. */
    escrowEmitted: hex(),
    createdAt: now(),
    updatedAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    // Indexes for lists: unfiltered, by currency, and by metadata.
    index().on(t.merchantId, t.mode, t.createdAt, t.id),
    index().on(t.merchantId, t.mode, t.currency, t.createdAt, t.id),
    index("intent_metadata")
      .using("gin", sql`${t.metadata} jsonb_path_ops`)
      .where(sql`${t.metadata} <> '{}'`)
      .with(METADATA_INDEX),
    index("intent_can_change").on(t.deploymentId, t.id).where(sql`${t.endedAs} is null`),
    index("intent_canceled").on(t.deploymentId, t.endedAt).where(sql`${t.endedAs} = 'CANCELED'`),
    index("intent_canceled_by_merchant")
      .on(t.createdAt, t.deploymentId, t.id)
      .where(sql`${t.endedAs} = 'CANCELED' and ${t.canceledAt} is not null`),
    check("intent_id_is_order_id", sql`octet_length(${t.id}) = 32`),
    check("intent_terms_length", sql`octet_length(${t.terms}) = ${sql.raw(String(PACKED_TERMS_LENGTH))}`),
  ],
);

/**
 * Finds the intents with a status, for lists. Triggers write a row together with its intent. With these columns as an
 * index of `intent`, each new status would write to every other index of the wide row, too.
 */
export const intentByStatus = gatewaySchema.table(
  "intent_by_status",
  {
    merchantId: merchantKey().notNull(),
    mode: text().$type<Mode>().notNull(),
    merchantStatus: text().$type<MerchantStatus>().notNull(),
    status: text().$type<IntentStatus>().notNull(),
    createdAt: moment().notNull(),
    intentId: intentId().notNull(),
  },
  (t) => [
    primaryKey({
      name: "intent_by_status_pk",
      columns: [t.merchantId, t.mode, t.merchantStatus, t.status, t.createdAt, t.intentId],
    }),
  ],
);

/** The id of an intent's order, as a column of a query. */
export const intentOrderId = sql`${intent.id}`.mapWith(trackedOrder.orderId);

/** A delivery proof as submitted. The chain decides whether it is accepted. */
export const deliveryProof = gatewaySchema.table(
  "delivery_proof",
  {
    id: idColumn("proof").notNull(),
    merchantId: merchantKey().notNull(),
    intentId: intentId().notNull(),
    proofHash: hex().notNull(),
    proofUri: text(),
    submittedBy: address().notNull(),
    submitTxHash: hex().notNull(),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    index().on(t.intentId, t.createdAt),
  ],
);

/**
 * The account that raised a dispute, as named by the caller of operation 8 (spec, "Dispute"). On chain, the operator
 * raises the dispute for the merchant's side unless the payer signed. `side`: 0 payer, 1 merchant. Each side raises at
 * most one dispute.
 */
export const disputeRaiser = gatewaySchema.table(
  "dispute_raiser",
  {
    merchantId: merchantKey().notNull(),
    intentId: intentId().notNull(),
    side: integer().notNull(),
    raisedBy: address().notNull(),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.intentId, t.side, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
  ],
);

/** A milestone of a MILESTONE_LOCKED payment, as planned by the merchant. The chain decides whether it is released. */
export const milestone = gatewaySchema.table(
  "milestone",
  {
    id: text().notNull(),
    merchantId: merchantKey().notNull(),
    intentId: intentId().notNull(),
    milestoneIndex: integer().notNull(),
    description: text(),
    amount: units().notNull(),
    /** A percentage from 0 to 100, as sent by the merchant. Nothing is computed from it. */
    percentage: doublePrecision(),
    completedAt: moment(),
    completedBy: address(),
    completionProof: text(),
    completionProofUri: text(),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.id, t.merchantId] }),
    foreignKey({ columns: [t.intentId, t.merchantId], foreignColumns: [intent.id, intent.merchantId] }),
    uniqueIndex().on(t.intentId, t.milestoneIndex, t.merchantId),
  ],
);
