// Finds confirmed on-chain settlements that payouts do not cover, and creates one payout for each part. The row and its
// job are written in one transaction. On-chain settlement always precedes the fiat payment (docs/architecture.md).
import { and, eq, sql } from "drizzle-orm";
import { fromDrizzle } from "pg-boss";
import { inSlices } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type OrderId, orderIdOfIntent, toFactId } from "#core/ids.ts";
import {
  indexedBlock,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/indexer-state/indexer-snapshot.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { isAmongIds } from "../escrow/due-orders.ts";
import type { Context } from "../runtime/context.ts";
import { Problems } from "../runtime/problems.ts";
import { nextBlock, type Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { buildPayouts } from "./build-payouts.ts";
import { createAccountChoice } from "./choose-accounts.ts";
import { findUncovered, type Planned } from "./find-uncovered.ts";
import { sendPayouts } from "./payout-queue.ts";
import { createSettlementVerifier, NOT_DEEP } from "./verify-settlement.ts";

/** Number of orders whose settlements are planned in one transaction. */
const AT_ONCE = 200;
/**
 * Number of payouts per statement. The insertion of a payout reads about 85 pages with a million payments in the database,
 * including those of its triggers, and a statement should read at most 2,000.
 */
const PAYOUTS_AT_ONCE = 20;

const releasedByMilestones = sql<string[]>`(
  select coalesce(json_agg(${chain.milestoneRelease.amount}::text order by ${chain.milestoneRelease.number}), '[]')
  from ${chain.milestoneRelease} where ${chain.milestoneRelease.orderId} = ${chain.settlement.orderId})`;

/** The intent's payouts by the number of their settlement. */
const plannedPayouts = sql<Planned[]>`(
  select coalesce(json_agg(p), '[]') from (
    select ${payout.settlementNumber} as number, (sum(${payout.amount}) filter (where ${payout.attempt} = 1))::text as amount,
      max(${payout.part}) + 1 as "nextPart"
    from ${payout} where ${payout.intentId} = ${intent.id} group by 1) p)`;

/**
 * Reads the settlements of the given orders with their payouts. The result includes the snapshot of the read even if
 * there are no settlements.
 */
export const readSettlements = ({ reads, deployment: current, config }: Context) =>
  joinIndexerSnapshot(
    reads
      .select({
        intent,
        settlement: chain.settlement,
        confirmed: sql<boolean>`${indexedBlock} - ${chain.settlement.block} + 1 >= ${config.chain.confirmations}`,
        planned: plannedPayouts,
        /** The amounts of the order's milestone releases, in order. */
        milestones: releasedByMilestones,
        snapshot: indexerSnapshotFields,
      })
      .from(deployment)
      .leftJoin(intent, isAmongIds)
      .leftJoin(chain.settlement, and(eq(chain.settlement.orderId, intent.id)))
      .$dynamic(),
  )
    .where(and(eq(deployment.id, current.id), deployment.current))
    .orderBy(chain.settlement.orderId, chain.settlement.number)
    .prepare("settlements_with_payouts");

type Row = Awaited<ReturnType<ReturnType<typeof readSettlements>["execute"]>>[number];
type Settled = Row & { [Part in "intent" | "settlement"]: NonNullable<Row[Part]> };

/** Selects the settlements that payouts do not cover. */
export function selectUnpaid(rows: readonly Row[]) {
  const settled = rows.filter((row): row is Settled => row.intent !== null && row.settlement !== null);
  return [...Map.groupBy(settled, ({ intent }) => intent.id).values()].flatMap((ofIntent) => {
    const uncovered = findUncovered(
      ofIntent.map(({ settlement }) => settlement),
      ofIntent[0]?.planned ?? [],
    );
    return ofIntent.flatMap((row) => {
      const own = uncovered.find(({ number }) => number === row.settlement.number);
      return own ? { ...row, uncovered: own } : [];
    });
  });
}

/** Returns a handler that creates the payouts of an order's confirmed settlements. */
export function createPayoutPlanner(context: Context): WorkHandler {
  const { database, guard, boss, log } = context;
  const query = readSettlements(context);
  const problems = new Problems(log);
  const choose = createAccountChoice(context.offRamps);

  type Unpaid = ReturnType<typeof selectUnpaid>[number];

  async function plan(unpaid: Unpaid[]): Promise<void> {
    const planned = unpaid.flatMap((one) =>
      buildPayouts(context, one).map((row) => ({ ...row, fundedAt: one.settlement.offRamp })),
    );
    const made = await database.transaction(async (tx) => {
      const choices = await choose(tx, planned);
      const inserted: (typeof payout.$inferSelect)[] = [];
      for (const some of inSlices(planned, PAYOUTS_AT_ONCE)) {
        const rows = await tx
          .insert(payout)
          // Payouts are bound to accounts here, so that a claim does not have to change an index.
          .values(some.map((row) => ({ ...row, ...choices.get(row.id), ...dueNow })))
          // Another replica may have been faster.
          .onConflictDoNothing()
          .returning();
        inserted.push(...rows);
      }
      const due = inserted.map(({ id, reference, nextAttemptAt }) => ({
        id,
        reference,
        dueAt: nextAttemptAt ?? new Date(),
      }));
      await sendPayouts(boss, due, undefined, fromDrizzle(tx, sql));
      return inserted;
    });
    for (const { id, intentId, settlementNumber, reference } of made) {
      const settlement = toFactId(orderIdOfIntent(intentId), settlementNumber);
      log.info({ payout: id, intent: intentId, settlement, reference }, "payout planned");
    }
  }

  return {
    atOnce: AT_ONCE,
    async handle(items, head) {
      const outcomes = new Map<OrderId, Outcome>();
      const rows = await query.execute({ ids: items.map(({ orderId }) => orderId) });
      const [first] = rows;
      if (!first) throw new Error("The deployment is not in the database.");
      await guard(first.snapshot);
      const verify = createSettlementVerifier(context);
      const verified: Unpaid[] = [];
      for (const row of selectUnpaid(rows)) {
        const { orderId, number } = row.settlement;
        const subject = `settlement ${toFactId(orderId, number)}`;
        const problem = row.confirmed ? await verify(row.settlement) : undefined;
        if (problem && problem !== NOT_DEEP) problems.report(subject, new Error(problem));
        else problems.resolve(subject);
        if (!row.confirmed || problem === NOT_DEEP) outcomes.set(orderId, nextBlock(head));
        else if (problem) outcomes.set(orderId, { refused: problem });
        else verified.push(row);
      }
      if (verified.length > 0) await plan(verified);
      return outcomes;
    },
  };
}
