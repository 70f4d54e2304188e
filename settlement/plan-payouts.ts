// Finds on-chain settlements that are deep enough and have no payout, and makes one for each part: the row and the job
// that carries it out, in one transaction. First on chain, then in fiat (design, "Every effect once").
import { and, type Column, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { fromDrizzle } from "pg-boss";
import * as chain from "#core/db/chain.ts";
import { payout } from "#core/db/payout-schema.ts";
import { deployment, intent } from "#core/db/schema.ts";
import { indexedBlock, withWitness, witnessFields } from "#core/db/witness.ts";
import { newId } from "#core/ids.ts";
import { payoutReference } from "#core/payout-reference.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { Context } from "./context.ts";
import { canChange } from "./due-orders.ts";
import { sendPayouts } from "./payout-queue.ts";
import { Problems } from "./problems.ts";
import { partsOf } from "./settlement-parts.ts";
import { createSettlementVerifier } from "./verify-settlement.ts";

/** Settlements planned in one transaction. */
const BATCH = 200;

const earlier = alias(chain.settlement, "earlier");

/** `<orderId>-<n>`: the order's n-th. */
const numberOf = (id: Column) => sql`split_part(${id}, '-', 2)::int`;

const takenBefore = sql<string>`(
  select coalesce(sum(${earlier.amount}), 0)::text from ${chain.settlement} as earlier
  where ${earlier.orderId} = ${chain.settlement.orderId}
    and ${numberOf(earlier.id)} < ${numberOf(chain.settlement.id)})`;

const releasedByMilestones = sql<string[]>`(
  select coalesce(json_agg(${chain.milestoneRelease.amount}::text order by ${numberOf(chain.milestoneRelease.id)}), '[]')
  from ${chain.milestoneRelease} where ${chain.milestoneRelease.orderId} = ${chain.settlement.orderId})`;

const findUnpaid = ({ reads, deployment: current, config }: Context) =>
  withWitness(
    reads
      .select({
        intent,
        settlement: chain.settlement,
        /** What the order's earlier settlements took. */
        before: takenBefore,
        /** What its milestones released, in order. */
        milestones: releasedByMilestones,
        witness: witnessFields,
      })
      .from(intent)
      .innerJoin(deployment, and(eq(deployment.id, intent.deploymentId), deployment.current))
      .innerJoin(chain.settlement, eq(chain.settlement.orderId, intent.orderId))
      .leftJoin(payout, and(eq(payout.intentId, intent.id), eq(payout.settlementId, chain.settlement.id)))
      .$dynamic(),
  )
    .where(
      and(
        eq(intent.deploymentId, current.id),
        canChange,
        isNull(payout.id),
        sql`${indexedBlock} - ${chain.settlement.block} + 1 >= ${config.chain.confirmations}`,
      ),
    )
    .orderBy(chain.settlement.block)
    .limit(BATCH)
    .prepare("plan_payouts");

/** Makes the planner's run. */
export function createPlanner(context: Context): () => Promise<void> {
  const { database, guard, boss, log } = context;
  const query = findUnpaid(context);
  const problems = new Problems(log);

  type Unpaid = Awaited<ReturnType<typeof query.execute>>[number];

  function payoutsOf({ intent: row, settlement, before, milestones }: Unpaid) {
    const taken = { before: BigInt(before), amount: settlement.amount };
    return partsOf(taken, milestones.map(BigInt)).map((amount, part) => ({
      id: newId("payout"),
      reference: payoutReference(context.deployment, { settlementId: settlement.id, part, attempt: 1 }),
      intentId: row.id,
      settlementId: settlement.id,
      part,
      settlementTxHash: settlement.txHash,
      settlementBlock: settlement.block,
      settledAt: new Date(settlement.settledAt * 1_000),
      settlementAmount: settlement.amount,
      attempt: 1,
      method: row.settlementMethod,
      destination: row.settlementDestination,
      amount,
      currency: row.currency,
      ...dueNow,
    }));
  }

  async function plan(unpaid: Unpaid[]): Promise<void> {
    const made = await database.transaction(async (tx) => {
      const rows = await tx
        .insert(payout)
        .values(unpaid.flatMap(payoutsOf))
        // Another replica was faster.
        .onConflictDoNothing()
        .returning();
      const due = rows.map(({ id, reference, nextLookAt }) => ({
        id,
        reference,
        dueAt: nextLookAt ?? new Date(),
      }));
      await sendPayouts(boss, due, undefined, fromDrizzle(tx, sql));
      return rows;
    });
    for (const { id, intentId, settlementId, reference } of made) {
      log.info({ payout: id, intent: intentId, settlement: settlementId, reference }, "payout planned");
    }
  }

  return async () => {
    const rows = await query.execute();
    const [first] = rows;
    if (!first) return;
    await guard(first.witness);
    const verify = createSettlementVerifier(context);
    const verified: Unpaid[] = [];
    for (const row of rows) {
      const subject = `settlement ${row.settlement.id}`;
      const problem = await verify(row.settlement);
      if (problem) problems.met(subject, new Error(problem));
      else {
        problems.over(subject);
        verified.push(row);
      }
    }
    if (verified.length > 0) await plan(verified);
  };
}
