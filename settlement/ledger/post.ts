// Posts to the ledger what is deep enough on chain and what providers have said. Level-triggered: it compares and posts
// the difference, as the database's unique key allows: each once, whoever else is at it (docs/ledger.md).
import { eq, sql } from "drizzle-orm";
import { insertMany } from "#core/db/insert-many.ts";
import { ledgerPosting } from "#core/db/ledger-schema.ts";
import { deployment } from "#core/db/schema.ts";
import type { Context } from "../context.ts";
import { finalizedBlock } from "../finalized-block.ts";
import { type Difference, type Findings, findDifferences } from "./differences.ts";

/** Intents compared in one query. */
const BATCH = 500;

/** Every so many slow polls, what a reorg may have changed behind the mark is compared again. */
const POLLS_UNTIL_RECENT = 5;

/** No chain's reorg goes deeper, and Ponder follows none that does. */
export const DEEPEST_REORG = 256;

const insertPostings = insertMany(ledgerPosting, [
  "deploymentId",
  "kind",
  "subject",
  "turn",
  "takenBack",
  "amount",
  "intentId",
  "payoutId",
  "block",
  "txHash",
]);

/** Makes the run. */
export function createPoster(
  context: Context,
  lookBackMs = context.config.pollIntervalMs * POLLS_UNTIL_RECENT,
): () => Promise<void> {
  const { database, guard, log, deployment: current } = context;
  let lookBackAt = 0;

  const markNow = async (): Promise<number> => {
    const [row] = await database
      .select({ block: deployment.ledgerBlock })
      .from(deployment)
      .where(eq(deployment.id, current.id));
    return row?.block ?? 0;
  };

  /** Orders that changed after a place, in the order of their last change. */
  const ordersAfter = (block: number, orderId: string) => sql`
    select i.id, i.order_id, o.updated_block from chain."order" o join gateway.intent i on i.order_id = o.id
    where (o.updated_block, o.id) > (${block}, ${orderId}) and i.deployment_id = ${current.id}
    order by o.updated_block, o.id limit ${BATCH}`;

  const unpostedPayouts = sql`
    select i.id, i.order_id, null::bigint as updated_block from gateway.intent i
    where i.deployment_id = ${current.id} and i.id in (
      select p.intent_id from gateway.payout p join gateway.intent i on i.id = p.intent_id
      where p.state in ('completed', 'failed', 'returned') and p.posted_state is distinct from p.state
        and i.deployment_id = ${current.id} limit ${BATCH})`;

  /** Intents of which something was posted or planned in blocks that a reorg may have taken away since. */
  const vanished = (block: number) => sql`
    select i.id, i.order_id, null::bigint as updated_block from gateway.intent i where i.deployment_id = ${current.id} and i.id in (
      select b.intent_id from gateway.ledger_posting b
        left join chain."order" o on o.id = '0x' || substr(b.intent_id, 8)
        left join chain.settlement s on s.id = b.subject
        left join chain.withdrawal w on w.id = b.subject
        where b.deployment_id = ${current.id} and b.block > ${block} and case b.kind
          when 'settled' then s.id is null when 'withdrawn' then w.id is null
          when 'refunded' then o.refunded is distinct from b.amount else o.id is null end
      union all
      select p.intent_id from gateway.payout p left join chain.settlement s on s.id = p.settlement_id
        where p.settlement_block > ${block} and s.id is null)`;

  async function write({ differences, payouts }: Findings): Promise<Difference[]> {
    if (differences.length === 0 && payouts.length === 0) return [];
    return database.transaction(async (tx) => {
      const rows = differences.map((difference) => ({ deploymentId: current.id, ...difference }));
      const { rows: written } = await tx.execute<{ kind: string; subject: string }>(
        // Another replica was faster.
        sql`${insertPostings(rows)} on conflict do nothing returning kind, subject`,
      );
      // One that is at work elsewhere is looked at again: nothing waits here, so nobody waits in a circle.
      await tx.execute(sql`
        with known as (select * from jsonb_to_recordset(${JSON.stringify(payouts)}::jsonb) as k (id text, state text)),
          free as (select id from gateway.payout where id in (select id from known) for no key update skip locked)
        update gateway.payout p set posted_state = known.state from known join free using (id) where p.id = known.id`);
      const made = new Set(written.map(({ kind, subject }) => `${kind} ${subject}`));
      return differences.filter(({ kind, subject }) => made.has(`${kind} ${subject}`));
    });
  }

  /** Compares some intents and posts what is missing. */
  async function compare(
    touched: Parameters<typeof findDifferences>[1],
    finalized: bigint | undefined,
  ): Promise<Findings> {
    const { witness, findings } = await findDifferences(context, touched, finalized);
    await guard(witness);
    for (const { kind, intentId, amount, takenBack, ...rest } of await write(findings)) {
      if (kind !== "lost") continue;
      const about = { intent: intentId, settlement: rest.subject, units: amount.toString() };
      if (takenBack) log.warn(about, "a loss is made good: the chain has its settlement again");
      else log.error(about, "LOSS: a payout was accepted, and the chain has its settlement no more");
    }
    return findings;
  }

  return async () => {
    const finalized = await finalizedBlock(context);
    const mark = await markNow();
    const lookBack = Date.now() >= lookBackAt;
    // The row-wise comparison goes on behind the last order of the block before.
    let place = { block: (lookBack ? mark - DEEPEST_REORG : mark) + 1, orderId: "" };
    let posted: number | undefined;
    for (;;) {
      const { looked, deep } = await compare(ordersAfter(place.block, place.orderId), finalized);
      posted ??= deep;
      if (looked.last === null || looked.count < BATCH) break;
      place = looked.last;
    }
    if (lookBack) await compare(vanished(mark - DEEPEST_REORG), finalized);
    await compare(unpostedPayouts, finalized);
    if (posted !== mark) {
      await database
        .update(deployment)
        .set({ ledgerBlock: Math.max(0, posted) })
        .where(eq(deployment.id, current.id));
    }
    if (lookBack) lookBackAt = Date.now() + lookBackMs;
  };
}
