// The indexer's views for readers, which mirror indexer/ponder.schema.ts (a test compares both), and the indexer's own
// state. Only the indexer writes to them.
import { bigint, boolean, integer, jsonb, numeric, pgSchema, primaryKey, text } from "drizzle-orm/pg-core";
import { addressBytes, hex, orderId } from "./schema/columns.ts";

/**
 * The schema of the views. Its name is fixed, while the tables are in a separate schema for each chain, contract and
 * indexer build (indexer/main.ts).
 */
export const CHAIN_SCHEMA = "chain";

/** The NOTIFY channel on which Ponder reports a committed block. */
export const BLOCK_CHANNEL = `${CHAIN_SCHEMA}_live_query`;

const chainSchema = pgSchema(CHAIN_SCHEMA);
const tokenAmount = () => numeric({ precision: 78, scale: 0, mode: "bigint" });
/** Unix times, durations in seconds or block numbers, which stay far below 2^53. */
const safeNumber = () => numeric({ precision: 78, scale: 0, mode: "number" });

export const ponderMeta = chainSchema.table("_ponder_meta", {
  key: text().primaryKey(),
  value: jsonb().$type<{ is_ready: 0 | 1 }>().notNull(),
});

export const ponderCheckpoint = chainSchema.table("_ponder_checkpoint", {
  chainName: text("chain_name").primaryKey(),
  chainId: bigint("chain_id", { mode: "number" }).notNull(),
  latestCheckpoint: text("latest_checkpoint").notNull(),
});

export const indexerBuild = chainSchema.table("indexer_build", {
  id: text().primaryKey(),
  build: text().notNull(),
});

export const order = chainSchema.table("order", {
  id: orderId().primaryKey(),
  payer: addressBytes().notNull(),
  boundPayer: addressBytes().notNull(),
  salt: hex().notNull(),
  operator: addressBytes().notNull(),
  arbiter: addressBytes().notNull(),
  deliveryOracle: addressBytes().notNull(),
  payee: addressBytes().notNull(),
  offRamp: addressBytes().notNull(),
  token: addressBytes().notNull(),
  amount: tokenAmount().notNull(),
  fundingDeadline: safeNumber().notNull(),
  deliveryPeriod: safeNumber().notNull(),
  disputeWindow: safeNumber().notNull(),
  timeLockUntil: safeNumber().notNull(),
  releaseType: integer().notNull(),
  autoReleaseOnProof: boolean().notNull(),
  expectedDeliveryHash: hex().notNull(),

  status: integer().notNull(),
  deliveryDeadline: safeNumber().notNull(),
  proven: boolean().notNull(),
  deliveryHash: hex(),
  proofs: integer().notNull(),
  milestoneReleases: integer().notNull(),
  refunds: integer().notNull(),
  settlements: integer().notNull(),
  withdrawals: integer().notNull(),

  released: tokenAmount().notNull(),
  settled: tokenAmount().notNull(),
  withdrawn: tokenAmount().notNull(),
  refunded: tokenAmount().notNull(),

  disputeSide: integer(),
  disputeActor: addressBytes(),
  disputeReason: text(),
  disputeRaisedAt: safeNumber(),
  disputeDeadline: safeNumber(),
  statusBeforeDispute: integer(),
  disputedByPayer: boolean().notNull(),
  disputedByMerchant: boolean().notNull(),

  createTxHash: hex().notNull(),
  createdAt: safeNumber().notNull(),
  createdBlock: safeNumber().notNull(),
  createdBlockHash: hex().notNull(),
  shippedAt: safeNumber(),
  deliveredAt: safeNumber(),
  releasedAt: safeNumber(),
  endedAt: safeNumber(),

  updatedAt: safeNumber().notNull(),
  updatedBlock: safeNumber().notNull(),
  updatedBlockHash: hex().notNull(),
  updatedTxHash: hex().notNull(),
  /** Settlements and withdrawals change `updatedTxHash`, but not this. */
  operationTxHash: hex().notNull(),
});

export const chainDeliveryProof = chainSchema.table(
  "delivery_proof",
  {
    orderId: orderId().notNull(),
    number: integer().notNull(),
    submittedBy: addressBytes().notNull(),
    proofHash: hex().notNull(),
    proofUri: text().notNull(),
    proven: boolean().notNull(),
    submittedAt: safeNumber().notNull(),
    block: safeNumber().notNull(),
    txHash: hex().notNull(),
  },
  (t) => [primaryKey({ columns: [t.orderId, t.number] })],
);

export const milestoneRelease = chainSchema.table(
  "milestone_release",
  {
    orderId: orderId().notNull(),
    number: integer().notNull(),
    amount: tokenAmount().notNull(),
    released: tokenAmount().notNull(),
    actor: addressBytes().notNull(),
    releasedAt: safeNumber().notNull(),
    block: safeNumber().notNull(),
    txHash: hex().notNull(),
  },
  (t) => [primaryKey({ columns: [t.orderId, t.number] })],
);

export const dispute = chainSchema.table("dispute", {
  id: text().primaryKey(),
  orderId: orderId().notNull(),
  side: integer().notNull(),
  actor: addressBytes().notNull(),
  reason: text().notNull(),
  raisedAt: safeNumber().notNull(),
  deadline: safeNumber().notNull(),
  endedAt: safeNumber(),
  resumed: boolean().notNull(),
  cause: integer(),
  payeeAmount: tokenAmount(),
  payerAmount: tokenAmount(),
  block: safeNumber().notNull(),
  txHash: hex().notNull(),
});

export const refund = chainSchema.table(
  "refund",
  {
    orderId: orderId().notNull(),
    number: integer().notNull(),
    amount: tokenAmount().notNull(),
    cause: integer().notNull(),
    actor: addressBytes().notNull(),
    refundedAt: safeNumber().notNull(),
    block: safeNumber().notNull(),
    txHash: hex().notNull(),
  },
  (t) => [primaryKey({ columns: [t.orderId, t.number] })],
);

export const settlement = chainSchema.table(
  "settlement",
  {
    orderId: orderId().notNull(),
    number: integer().notNull(),
    offRamp: addressBytes().notNull(),
    amount: tokenAmount().notNull(),
    settledAt: safeNumber().notNull(),
    block: safeNumber().notNull(),
    blockHash: hex().notNull(),
    txHash: hex().notNull(),
  },
  (t) => [primaryKey({ columns: [t.orderId, t.number] })],
);

export const withdrawal = chainSchema.table(
  "withdrawal",
  {
    orderId: orderId().notNull(),
    number: integer().notNull(),
    amount: tokenAmount().notNull(),
    block: safeNumber().notNull(),
    txHash: hex().notNull(),
  },
  (t) => [primaryKey({ columns: [t.orderId, t.number] })],
);

export const settlementSkip = chainSchema.table("settlement_skip", {
  orderId: orderId().primaryKey(),
  skipCount: integer().notNull(),
  reason: hex().notNull(),
  skippedAt: safeNumber().notNull(),
  block: safeNumber().notNull(),
  txHash: hex().notNull(),
});

export const escrow = chainSchema.table("escrow", {
  id: text().primaryKey(),
  owner: addressBytes().notNull(),
  pendingOwner: addressBytes(),
  guardian: addressBytes(),
});

export const credit = chainSchema.table("credit", {
  id: text().primaryKey(),
  account: addressBytes().notNull(),
  token: addressBytes().notNull(),
  amount: tokenAmount().notNull(),
});

export const listedToken = chainSchema.table("listed_token", {
  address: addressBytes().primaryKey(),
  listed: boolean().notNull(),
});

export type OrderRow = typeof order.$inferSelect;
export type DisputeRow = typeof dispute.$inferSelect;
