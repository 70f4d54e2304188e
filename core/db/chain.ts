// The indexer's views for readers: a mirror of indexer/ponder.schema.ts (a test compares the two), and the indexer's
// own state. Only the indexer writes to them.
import { bigint, boolean, integer, jsonb, numeric, pgSchema, text } from "drizzle-orm/pg-core";
import { address, hex } from "./schema/columns.ts";

/** The fixed schema of views; the tables behind it change with the chain and the build (indexer/main.ts). */
export const CHAIN_SCHEMA = "chain";

/** The channel on which Ponder announces a committed block. */
export const BLOCK_CHANNEL = `${CHAIN_SCHEMA}_live_query`;

const chain = pgSchema(CHAIN_SCHEMA);
const units = () => numeric({ precision: 78, scale: 0, mode: "bigint" });
/** Unix seconds or block numbers, which stay far below 2^53. */
const count = () => numeric({ precision: 78, scale: 0, mode: "number" });

export const ponderMeta = chain.table("_ponder_meta", {
  key: text().primaryKey(),
  value: jsonb().$type<{ is_ready: 0 | 1 }>().notNull(),
});

export const ponderCheckpoint = chain.table("_ponder_checkpoint", {
  chainName: text("chain_name").primaryKey(),
  chainId: bigint("chain_id", { mode: "number" }).notNull(),
  latestCheckpoint: text("latest_checkpoint").notNull(),
});

export const indexerBuild = chain.table("indexer_build", {
  id: text().primaryKey(),
  build: text().notNull(),
});

export const order = chain.table("order", {
  id: hex().primaryKey(),
  payer: address().notNull(),
  boundPayer: address().notNull(),
  salt: hex().notNull(),
  operator: address().notNull(),
  arbiter: address().notNull(),
  deliveryOracle: address().notNull(),
  payee: address().notNull(),
  offRamp: address().notNull(),
  token: address().notNull(),
  amount: units().notNull(),
  fundingDeadline: count().notNull(),
  deliveryPeriod: count().notNull(),
  disputeWindow: count().notNull(),
  timeLockUntil: count().notNull(),
  releaseType: integer().notNull(),
  autoReleaseOnProof: boolean().notNull(),
  expectedDeliveryHash: hex().notNull(),

  status: integer().notNull(),
  deliveryDeadline: count().notNull(),
  proven: boolean().notNull(),
  deliveryHash: hex(),
  proofs: integer().notNull(),
  milestoneReleases: integer().notNull(),
  refunds: integer().notNull(),
  settlements: integer().notNull(),
  withdrawals: integer().notNull(),

  released: units().notNull(),
  settled: units().notNull(),
  withdrawn: units().notNull(),
  refunded: units().notNull(),

  disputeSide: integer(),
  disputeActor: address(),
  disputeReason: text(),
  disputeRaisedAt: count(),
  disputeDeadline: count(),
  statusBeforeDispute: integer(),
  disputedByPayer: boolean().notNull(),
  disputedByMerchant: boolean().notNull(),

  createTxHash: hex().notNull(),
  createdAt: count().notNull(),
  createdBlock: count().notNull(),
  createdBlockHash: hex().notNull(),
  shippedAt: count(),
  deliveredAt: count(),
  releasedAt: count(),
  endedAt: count(),

  updatedAt: count().notNull(),
  updatedBlock: count().notNull(),
  updatedBlockHash: hex().notNull(),
  updatedTxHash: hex().notNull(),
});

export const chainDeliveryProof = chain.table("delivery_proof", {
  id: text().primaryKey(),
  orderId: hex().notNull(),
  submittedBy: address().notNull(),
  proofHash: hex().notNull(),
  proofUri: text().notNull(),
  proven: boolean().notNull(),
  submittedAt: count().notNull(),
  block: count().notNull(),
  txHash: hex().notNull(),
});

export const milestoneRelease = chain.table("milestone_release", {
  id: text().primaryKey(),
  orderId: hex().notNull(),
  amount: units().notNull(),
  released: units().notNull(),
  actor: address().notNull(),
  releasedAt: count().notNull(),
  block: count().notNull(),
  txHash: hex().notNull(),
});

export const dispute = chain.table("dispute", {
  id: text().primaryKey(),
  orderId: hex().notNull(),
  side: integer().notNull(),
  actor: address().notNull(),
  reason: text().notNull(),
  raisedAt: count().notNull(),
  deadline: count().notNull(),
  endedAt: count(),
  resumed: boolean().notNull(),
  cause: integer(),
  payeeAmount: units(),
  payerAmount: units(),
  block: count().notNull(),
  txHash: hex().notNull(),
});

export const refund = chain.table("refund", {
  id: text().primaryKey(),
  orderId: hex().notNull(),
  amount: units().notNull(),
  cause: integer().notNull(),
  actor: address().notNull(),
  refundedAt: count().notNull(),
  block: count().notNull(),
  txHash: hex().notNull(),
});

export const settlement = chain.table("settlement", {
  id: text().primaryKey(),
  orderId: hex().notNull(),
  offRamp: address().notNull(),
  amount: units().notNull(),
  settledAt: count().notNull(),
  block: count().notNull(),
  blockHash: hex().notNull(),
  txHash: hex().notNull(),
});

export const withdrawal = chain.table("withdrawal", {
  id: text().primaryKey(),
  orderId: hex().notNull(),
  amount: units().notNull(),
  block: count().notNull(),
  txHash: hex().notNull(),
});

export const settlementSkip = chain.table("settlement_skip", {
  orderId: hex().primaryKey(),
  times: integer().notNull(),
  reason: hex().notNull(),
  skippedAt: count().notNull(),
  block: count().notNull(),
  txHash: hex().notNull(),
});

export const escrow = chain.table("escrow", {
  id: text().primaryKey(),
  owner: address().notNull(),
  pendingOwner: address(),
  guardian: address(),
});

export const credit = chain.table("credit", {
  id: text().primaryKey(),
  account: address().notNull(),
  token: address().notNull(),
  amount: units().notNull(),
});

export const listedToken = chain.table("listed_token", {
  address: address().primaryKey(),
  listed: boolean().notNull(),
});

export type OrderRow = typeof order.$inferSelect;
export type DisputeRow = typeof dispute.$inferSelect;
