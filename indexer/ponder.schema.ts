// On-chain data: orders and their history. Only the handlers in src/ write to these tables. Readers see the
// tables as views in the schema `chain` (core/db/chain.ts mirrors them).
import { index, onchainTable, primaryKey } from "ponder";
import { addressBytes, hex, orderId } from "#core/db/schema/columns.ts";

/** Has one row: the indexer build that filled this schema, so that a reader can reject the data of another build. */
export const indexerBuild = onchainTable("indexer_build", (t) => ({
  id: t.text().primaryKey(),
  build: t.text().notNull(),
}));

/**
 * An escrow order: its terms as funded, and its state. Amounts are in the token's smallest unit, times in Unix
 * seconds.
 */
export const order = onchainTable(
  "order",
  (t) => ({
    id: orderId().primaryKey(),
    /** The account that funded the order. */
    payer: addressBytes().notNull(),
    /** The payer that the terms name. The zero address means any payer. */
    boundPayer: addressBytes().notNull(),
    salt: hex().notNull(),
    operator: addressBytes().notNull(),
    arbiter: addressBytes().notNull(),
    deliveryOracle: addressBytes().notNull(),
    payee: addressBytes().notNull(),
    offRamp: addressBytes().notNull(),
    token: addressBytes().notNull(),
    amount: t.bigint().notNull(),
    fundingDeadline: t.bigint().notNull(),
    deliveryPeriod: t.bigint().notNull(),
    disputeWindow: t.bigint().notNull(),
    timeLockUntil: t.bigint().notNull(),
    releaseType: t.integer().notNull(),
    autoReleaseOnProof: t.boolean().notNull(),
    expectedDeliveryHash: hex().notNull(),

    status: t.integer().notNull(),
    deliveryDeadline: t.bigint().notNull(),
    proven: t.boolean().notNull(),
    deliveryHash: hex(),
    /** The order's number of rows in each history table. */
    proofs: t.integer().notNull(),
    milestoneReleases: t.integer().notNull(),
    refunds: t.integer().notNull(),
    settlements: t.integer().notNull(),
    withdrawals: t.integer().notNull(),

    released: t.bigint().notNull(),
    settled: t.bigint().notNull(),
    withdrawn: t.bigint().notNull(),
    refunded: t.bigint().notNull(),

    /** The latest dispute: its side (0 payer, 1 merchant), who raised it, and the order's status before the dispute. */
    disputeSide: t.integer(),
    disputeActor: addressBytes(),
    disputeReason: t.text(),
    disputeRaisedAt: t.bigint(),
    disputeDeadline: t.bigint(),
    statusBeforeDispute: t.integer(),
    disputedByPayer: t.boolean().notNull(),
    disputedByMerchant: t.boolean().notNull(),

    createTxHash: hex().notNull(),
    createdAt: t.bigint().notNull(),
    createdBlock: t.bigint().notNull(),
    createdBlockHash: hex().notNull(),
    shippedAt: t.bigint(),
    deliveredAt: t.bigint(),
    releasedAt: t.bigint(),
    endedAt: t.bigint(),

    updatedAt: t.bigint().notNull(),
    updatedBlock: t.bigint().notNull(),
    updatedBlockHash: hex().notNull(),
    updatedTxHash: hex().notNull(),
    /** The last transaction that changed the order by anything other than a transfer of released funds. */
    operationTxHash: hex().notNull(),
  }),
  (table) => ({ updatedIdx: index().on(table.updatedBlock) }),
);

/** A delivery proof. `number` counts within the order, starting at 1, as in the other history tables. */
export const deliveryProof = onchainTable(
  "delivery_proof",
  (t) => ({
    orderId: orderId().notNull(),
    number: t.integer().notNull(),
    submittedBy: addressBytes().notNull(),
    proofHash: hex().notNull(),
    proofUri: t.text().notNull(),
    /** Whether the proof made the order proven. Otherwise it is only evidence. */
    proven: t.boolean().notNull(),
    submittedAt: t.bigint().notNull(),
    block: t.bigint().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.orderId, table.number] }) }),
);

/** A release by milestones. `amount` is the amount of this release, `released` the new total. */
export const milestoneRelease = onchainTable(
  "milestone_release",
  (t) => ({
    orderId: orderId().notNull(),
    number: t.integer().notNull(),
    amount: t.bigint().notNull(),
    released: t.bigint().notNull(),
    actor: addressBytes().notNull(),
    releasedAt: t.bigint().notNull(),
    block: t.bigint().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.orderId, table.number] }) }),
);

/**
 * A dispute (`<orderId>-<side>`, 0 payer, 1 merchant). Each side can raise one dispute. `cause` and the amounts
 * describe the resolution.
 */
export const dispute = onchainTable(
  "dispute",
  (t) => ({
    id: t.text().primaryKey(),
    orderId: orderId().notNull(),
    side: t.integer().notNull(),
    actor: addressBytes().notNull(),
    reason: t.text().notNull(),
    raisedAt: t.bigint().notNull(),
    deadline: t.bigint().notNull(),
    endedAt: t.bigint(),
    /** The order resumed without a decision. */
    resumed: t.boolean().notNull(),
    cause: t.integer(),
    payeeAmount: t.bigint(),
    payerAmount: t.bigint(),
    block: t.bigint().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({ orderIdx: index().on(table.orderId) }),
);

/** Funds returned to the payer, as a transfer or as a credit. */
export const refund = onchainTable(
  "refund",
  (t) => ({
    orderId: orderId().notNull(),
    number: t.integer().notNull(),
    amount: t.bigint().notNull(),
    cause: t.integer().notNull(),
    actor: addressBytes().notNull(),
    refundedAt: t.bigint().notNull(),
    block: t.bigint().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.orderId, table.number] }),
    blockIdx: index().on(table.block),
  }),
);

/** Released funds that went to the off-ramp's wallet, to be paid out as fiat. */
export const settlement = onchainTable(
  "settlement",
  (t) => ({
    orderId: orderId().notNull(),
    number: t.integer().notNull(),
    offRamp: addressBytes().notNull(),
    amount: t.bigint().notNull(),
    settledAt: t.bigint().notNull(),
    block: t.bigint().notNull(),
    blockHash: hex().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.orderId, table.number] }),
    blockIdx: index().on(table.block),
  }),
);

/** Released funds that the payee withdrew on chain. */
export const withdrawal = onchainTable(
  "withdrawal",
  (t) => ({
    orderId: orderId().notNull(),
    number: t.integer().notNull(),
    amount: t.bigint().notNull(),
    block: t.bigint().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.orderId, table.number] }) }),
);

/** An order that a batch skipped without changing it, and the ABI-encoded error of the contract at the last skip. */
export const settlementSkip = onchainTable(
  "settlement_skip",
  (t) => ({
    orderId: orderId().primaryKey(),
    skipCount: t.integer().notNull(),
    reason: hex().notNull(),
    skippedAt: t.bigint().notNull(),
    block: t.bigint().notNull(),
    txHash: hex().notNull(),
  }),
  (table) => ({ blockIdx: index().on(table.block) }),
);

/** Has one row: the contract's owner, its pending owner, and its guardian, who can delist tokens. */
export const escrow = onchainTable("escrow", (t) => ({
  id: t.text().primaryKey(),
  owner: addressBytes().notNull(),
  pendingOwner: addressBytes(),
  guardian: addressBytes(),
}));

/** Claimable credits for failed transfers, by account and token. */
export const credit = onchainTable(
  "credit",
  (t) => ({
    id: t.text().primaryKey(),
    account: addressBytes().notNull(),
    token: addressBytes().notNull(),
    amount: t.bigint().notNull(),
  }),
  (table) => ({ accountIdx: index().on(table.account) }),
);

/** The tokens that the contract's owner has listed or delisted. */
export const listedToken = onchainTable("listed_token", (t) => ({
  address: addressBytes().primaryKey(),
  listed: t.boolean().notNull(),
}));
