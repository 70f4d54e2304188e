// The read model: one query joins an intent with its order, the indexed head, its funding transaction and its payouts.
// Retrieve, list and the workers read intents only through this module.
import { and, eq, sql } from "drizzle-orm";
import { type Address, type Hex, isAddressEqual } from "viem";
import { restoreTerms, type Terms } from "../chain/terms.ts";
import type { Config } from "../config/config.ts";
import { batched } from "../db/batch.ts";
import * as chain from "../db/chain.ts";
import type { Database, Transaction } from "../db/client.ts";
import { isAmong } from "../db/is-among.ts";
import { deployment } from "../db/schema/deployments.ts";
import { intent } from "../db/schema/intents.ts";
import type { IntentId } from "../ids.ts";
import { type Head, type IndexerGuard, type IndexerSnapshot, parseHead } from "../indexer-state/guard.ts";
import { indexerSnapshotFields, joinIndexerSnapshot } from "../indexer-state/indexer-snapshot.ts";
import { type DerivedStatus, deriveStatus, type IntentFacts } from "../model/intent-status.ts";
import { toUnixSeconds } from "../model/unix-time.ts";
import {
  type Emitted,
  type Funding,
  type Payouts,
  type ReportedTransaction,
  selectEmitted,
  selectFunding,
  selectPayouts,
  selectRaiser,
  selectReported,
} from "./intent-subqueries.ts";
import { paymentTime, wallTime } from "./payment-time.ts";

export type IntentRow = typeof intent.$inferSelect;

/** An intent as exposed by the service. */
export type IntentView = DerivedStatus & {
  intent: IntentRow;
  terms: Terms;
  order: chain.OrderRow | null;
  head: Head;
  facts: IntentFacts;
  funding: Funding | null;
  payouts: Payouts | null;
  emitted: Emitted;
  /** Who raised the latest dispute. If the operator relayed it, this is the account named by the API caller. */
  disputeRaisedBy: Address | null;
  /** Whether the relayer's own transaction is unresolved. */
  relaying: boolean;
  transactionHash: Hex | null;
  /** Unix seconds of the latest visible change. */
  updated: number;
  /**
   * Whether the intent's deployment is not current. In that case, the last emitted status is shown, and no operation is
   * possible.
   */
  orphaned: boolean;
};

type Reading = {
  intent: IntentRow;
  current: boolean;
  order: chain.OrderRow | null;
  funding: Funding | null;
  reported: ReportedTransaction | null;
  payouts: Payouts | null;
  emitted: Emitted;
  raiser: Address | null;
  snapshot: IndexerSnapshot;
};

const select = (database: Pick<Database, "select">) =>
  joinIndexerSnapshot(
    database
      .select({
        intent,
        current: deployment.current,
        order: chain.order,
        funding: selectFunding,
        reported: selectReported,
        payouts: selectPayouts,
        emitted: selectEmitted,
        raiser: selectRaiser,
        snapshot: indexerSnapshotFields,
      })
      .from(intent)
      .innerJoin(deployment, eq(deployment.id, intent.deploymentId))
      .leftJoin(chain.order, and(eq(chain.order.id, intent.id), deployment.current))
      .$dynamic(),
  );

/**
 * How long an unmined transaction counts, in seconds. The time is limited, because anyone can send a transaction that
 * is never mined, at no cost.
 */
const REPORTED_COUNTS_SECONDS = 120;

/**
 * Returns the reported transaction if it counts. A failed transaction counts only if the attached payer sent it,
 * because other payers can still pay.
 */
function counted(
  reported: ReportedTransaction | null,
  { payer }: IntentRow,
  now: number,
): ReportedTransaction | null {
  if (!reported?.failed)
    return reported && now - reported.createdAt <= REPORTED_COUNTS_SECONDS ? reported : null;
  return payer && isAddressEqual(payer, reported.payer) ? reported : null;
}

const isUnresolved = ({ state, succeeded }: Funding): boolean => state !== "dropped" && succeeded !== false;

function fundingState(funding: Funding | null, reported: ReportedTransaction | null): IntentFacts["funding"] {
  if ((funding && isUnresolved(funding)) || (reported && !reported.failed)) return "unresolved";
  return funding || reported ? "failed" : "none";
}

function findRaiser({ order, raiser }: Pick<Reading, "order" | "raiser">): Address | null {
  if (!order?.disputeActor) return null;
  const relayed = isAddressEqual(order.disputeActor, order.operator);
  return relayed && raiser ? raiser : order.disputeActor;
}

function buildView(
  reading: Omit<Reading, "snapshot">,
  head: Head,
  config: Pick<Config, "chain">,
  now: number,
): IntentView {
  const { intent: row, order, funding, payouts } = reading;
  const reported = counted(reading.reported, row, now);
  const { confirmations, blockTime } = config.chain;
  const facts: IntentFacts = {
    amount: row.amount,
    lastSeen: row.lastEmittedStatus,
    canceled: row.canceledAt !== null,
    payerAttached: row.payer !== null,
    fundingDeadline: row.terms.fundingDeadline,
    funding: fundingState(funding, reported),
    head,
    order,
    payouts: {
      submitted: payouts?.submitted ?? false,
      failed: payouts?.failed ?? false,
      completedAmount: BigInt(payouts?.completedAmount ?? 0),
      finalAt: payouts?.finalAt ?? null,
      providerNotQueried: payouts?.providerNotQueried ?? false,
    },
    now: paymentTime(head, now),
    confirmations,
    confirmationTime: Math.ceil(confirmations * blockTime),
  };
  const orphaned = !reading.current;
  const derived: DerivedStatus = orphaned
    ? { status: row.lastEmittedStatus, settlementStatus: lastSettlementStatus[row.lastEmittedStatus] }
    : deriveStatus(facts);
  return {
    ...derived,
    intent: row,
    terms: restoreTerms(row.terms),
    order,
    head,
    facts,
    funding,
    payouts,
    emitted: reading.emitted,
    disputeRaisedBy: findRaiser(reading),
    relaying: funding !== null && isUnresolved(funding),
    transactionHash: order?.createTxHash ?? funding?.hash ?? reported?.hash ?? null,
    updated: Math.max(
      toUnixSeconds(row.updatedAt),
      order?.updatedAt ?? 0,
      funding?.updatedAt ?? 0,
      reported?.createdAt ?? 0,
      payouts?.updatedAt ?? 0,
    ),
    orphaned,
  };
}

/**
 * Builds the view of an intent that was just created. No block contains its order, so the view does not need the
 * indexer.
 */
export const viewOfNew = (row: IntentRow, config: Pick<Config, "chain">): IntentView =>
  buildView(
    {
      intent: row,
      current: true,
      order: null,
      funding: null,
      reported: null,
      payouts: null,
      emitted: { lastSequence: 0, succeededAt: null },
      raiser: null,
    },
    { block: 0, timestamp: 0 },
    config,
    toUnixSeconds(row.createdAt),
  );

const lastSettlementStatus = {
  INITIATED: "PENDING",
  REQUIRES_SIGNATURE: "PENDING",
  PROCESSING: "PENDING",
  SUCCEEDED: "IN_PROGRESS",
  SETTLED: "COMPLETED",
  FINAL: "COMPLETED",
  CANCELED: null,
  REQUIRES_ACTION: "FAILED",
} as const;

export type IntentReader = ReturnType<typeof createIntentReader>;

/** Intents per query. Each takes about 22 pages, and a statement should read at most 2,000. */
const LARGEST = 75;

/** Reads intents through the guard, which responds with a 503 while the indexer is not current. */
export function createIntentReader(options: {
  /** Uses generic plans (core/db/client.ts). */
  reads: Database;
  config: Pick<Config, "chain">;
  guard: IndexerGuard;
  now?: () => number;
}) {
  const { reads, config, guard } = options;
  const now = options.now ?? wallTime;
  const some = select(reads)
    .where(isAmong(intent.id, sql.placeholder("ids")))
    .prepare("read_intents");
  const read = batched(
    (ids: IntentId[]) => some.execute({ ids }),
    (reading) => reading.intent.id,
    { largest: LARGEST },
  );
  const snapshot = joinIndexerSnapshot(
    reads.select({ snapshot: indexerSnapshotFields }).from(deployment).$dynamic(),
  )
    .where(eq(deployment.current, true))
    .prepare("read_head");

  const show = async (reading: Reading, remember = true): Promise<IntentView> => {
    // An intent of a deployment that is not current does not depend on the indexer.
    const head = reading.current
      ? await guard(reading.snapshot, remember)
      : parseHead(reading.snapshot.latestCheckpoint ?? "0".repeat(42));
    return buildView(reading, head, config, now());
  };

  return {
    /** Reads one intent; undefined if the id does not exist. */
    async find(id: IntentId): Promise<IntentView | undefined> {
      const reading = await read(id);
      return reading && show(reading);
    },

    /** Like `find`, but locks the intent's row in this transaction first, so that the caller can act on the result. */
    async findLocked(tx: Transaction, id: IntentId): Promise<IntentView | undefined> {
      await tx.select({ id: intent.id }).from(intent).where(eq(intent.id, id)).for("update");
      const [reading] = await select(tx).where(eq(intent.id, id));
      return reading && show(reading, false);
    },

    /** Reads several intents in one snapshot, in no particular order. */
    async findAll(ids: IntentId[]): Promise<IntentView[]> {
      if (ids.length === 0) return [];
      const readings = await some.execute({ ids });
      return Promise.all(readings.map((reading) => show(reading)));
    },

    /** Returns the indexed head if the indexer is current. */
    async head(): Promise<Head> {
      const [reading] = await snapshot.execute();
      return guard(
        reading?.snapshot ?? {
          ready: false,
          build: null,
          latestCheckpoint: null,
          highWaterBlock: 0,
        },
      );
    },
  };
}
