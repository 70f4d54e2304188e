// Emits what intents have become: a status that the read model shows for the first time becomes an event, and so does what
// the chain says of the escrow order, and what became of a payout.
import { and, eq, sql } from "drizzle-orm";
import { inBatches } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { hasUntoldFacts } from "#core/events/escrow-facts.ts";
import { createPayoutEmitter } from "#core/events/payout-events.ts";
import { type IntentId, intentIdOf, type OrderId } from "#core/ids.ts";
import type { Context } from "../runtime/context.ts";
import type { Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { recordTransitions } from "./record-transitions.ts";

/** How many intents are read in one query. */
const BATCH = 250;
/** Written in one transaction. */
const AT_ONCE = 50;
/** What somebody else writes at this moment is read again, and so is a reported transaction that no node knows. */
const SOON_MS = 250;
const REPORTED_MS = 30_000;
/** For how long after a cancellation a reorg may still remove it. */
const UNSETTLED_CANCELLATION = "1 day";

/** Intents that can still change, unless a reorg or a bank undoes their end. */
const canChange = sql`${intent.lastEmittedStatus} not in ('FINAL', 'CANCELED')`;

/** @returns how many had anything to emit, and those that were written since they were read: they are to be read again */
async function record(context: Context, views: readonly IntentView[]) {
  const overtaken = new Set<IntentId>();
  const changed = views.filter((view) => {
    const moved = view.status !== view.intent.lastEmittedStatus;
    return !view.setAside && (moved || hasUntoldFacts(view));
  });
  await inBatches(changed, AT_ONCE, async (some) => {
    for (const id of await recordTransitions(context, some)) overtaken.add(id);
  });
  return { changed: changed.length, overtaken };
}

/** When an intent's status may change although nothing about it does. Every change makes it due by itself. */
export function nextObservation({ order, head, facts, status, relaying, setAside }: IntentView): Outcome {
  if (setAside || status === "FINAL") return "done";
  if (order) {
    const depths = [order.createdBlock, order.updatedBlock].map((block) => block + facts.confirmations - 1);
    const next = depths.filter((block) => block > head.block);
    if (next.length > 0) return { clock: "block", due: Math.min(...next) };
    const { finalAt, unasked } = facts.payouts;
    if (status !== "SETTLED" || finalAt === null || unasked) return "done";
    return { delayMs: SOON_MS, notBefore: finalAt * 1_000 };
  }
  if (status === "CANCELED" || relaying) return "done";
  if (facts.funding === "unresolved") return { delayMs: REPORTED_MS };
  const expired = facts.fundingDeadline + facts.confirmationTime + 1;
  // A payment whose funding failed stays as it is, with the deadline behind it.
  return expired > head.timestamp ? { clock: "time", due: expired } : "done";
}

/** Returns a handler that emits what has changed. */
export function createObserver(context: Context): WorkHandler {
  const emitPayouts = createPayoutEmitter(context);
  return {
    atOnce: BATCH,
    async handle(items) {
      const ids = items.map(({ orderId }) => intentIdOf(orderId));
      const locked = await emitPayouts(ids);
      const views = await context.reader.findAll(ids);
      const { overtaken } = await record(context, views);
      return new Map(
        views.map((view): [OrderId, Outcome] => {
          const { id, orderId } = view.intent;
          return [
            orderId,
            locked.has(id) || overtaken.has(id) ? { delayMs: SOON_MS } : nextObservation(view),
          ];
        }),
      );
    },
  };
}

/**
 * Makes the scan of every intent that can still change, and of those whose end may be undone.
 * @param pause comes before each page
 * @returns how many had something to emit that nobody had noticed
 */
export function createObservationScan(
  context: Context,
  pause: () => Promise<void> = async () => undefined,
): (stopping?: AbortSignal) => Promise<number> {
  const { reads, deployment } = context;
  const emitPayouts = createPayoutEmitter(context);
  const open = reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(eq(intent.deploymentId, deployment.id), canChange, sql`${intent.id} > ${sql.placeholder("after")}`),
    )
    .orderBy(intent.id)
    .limit(BATCH)
    .prepare("observe_open");
  // An order that came although the intent had expired, or whose refund a reorg removed; an order that vanished together
  // with its refund. Canceled by the merchant stays canceled: return-late-funding.ts sees to its money.
  const reopened = reads
    .select({ id: intent.id })
    .from(intent)
    .leftJoin(chain.order, eq(chain.order.id, intent.orderId))
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.lastEmittedStatus} = 'CANCELED'`,
        sql`${intent.updatedAt} > now() - ${UNSETTLED_CANCELLATION}::interval`,
        sql`${intent.canceledAt} is null`,
        sql`case when ${chain.order.id} is null
          then exists (select from ${event} where ${event.intentId} = ${intent.id} and ${event.decidedBy} <> ''
            and ${event.toStatus} = 'CANCELED')
          else ${chain.order.status} <> 5 or ${chain.order.released} > 0 end`,
      ),
    )
    .limit(BATCH)
    .prepare("observe_reopened");
  // What was final until a bank gave the money back.
  const returned = reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.lastEmittedStatus} = 'FINAL'`,
        sql`${intent.id} in (select p.intent_id from gateway.payout p
          where p.state in ('failed', 'returned') and not exists (select from gateway.payout later
            where later.intent_id = p.intent_id and later.settlement_id = p.settlement_id and later.part = p.part
              and later.attempt > p.attempt))`,
      ),
    )
    .limit(BATCH)
    .prepare("observe_returned");

  async function observe(ids: IntentId[]): Promise<number> {
    await emitPayouts(ids);
    return (await record(context, await context.reader.findAll(ids))).changed;
  }

  return async (stopping) => {
    let found = 0;
    for (let after: string | undefined = ""; after !== undefined; ) {
      await pause();
      if (stopping?.aborted) return found;
      const ids: IntentId[] = (await open.execute({ after })).map(({ id }) => id);
      found += await observe(ids);
      after = ids.length < BATCH ? undefined : ids.at(-1);
    }
    for (const query of [reopened, returned]) {
      await pause();
      found += await observe((await query.execute()).map(({ id }) => id));
    }
    return found;
  };
}
