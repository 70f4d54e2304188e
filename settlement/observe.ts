// The observer: a status that the read model shows for the first time becomes an event, and so does what the chain says
// of the escrow order, and what became of a payout.
import { and, eq, sql } from "drizzle-orm";
import { inBatches, inSlices } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import { event } from "#core/db/event-schema.ts";
import { intent } from "#core/db/schema.ts";
import { hasUntoldFacts } from "#core/events/escrow-facts.ts";
import { createPayoutTeller } from "#core/events/payout-events.ts";
import type { IntentId } from "#core/ids.ts";
import { createChangeFinder } from "./changed-intents.ts";
import type { Context } from "./context.ts";
import { canChange } from "./due-orders.ts";
import { recordTransitions } from "./record-transitions.ts";

/** How many intents are looked at in one query. */
const BATCH = 250;

/** Written down in one transaction. */
const AT_ONCE = 50;

/** For how long after a cancellation a reorg may still take it back. */
const UNSETTLED_CANCELLATION = "1 day";

async function look(context: Context, ids: IntentId[]): Promise<void> {
  const views = (await context.reader.findAll(ids)).filter((view) => {
    const moved = view.status !== view.intent.lastSeenStatus;
    return !view.setAside && (moved || hasUntoldFacts(view));
  });
  await inBatches(views, AT_ONCE, (some) => recordTransitions(context, some));
}

/** Makes the observer's run: a look at what has changed since the last. */
export function createObserver(context: Context): () => Promise<void> {
  const tellPayouts = createPayoutTeller(context);
  const findChanged = createChangeFinder(context);
  return async () => {
    await tellPayouts();
    const { ids, done } = await findChanged();
    for (const some of inSlices(ids, BATCH)) await look(context, some);
    done();
  };
}

/**
 * Makes the look at every intent that can still change, whatever seems to have changed.
 * @param pause comes before each part of it, which may be many
 */
export function createSweeper(
  context: Context,
  pause: () => Promise<void>,
): (stopping: AbortSignal) => Promise<void> {
  const { reads, deployment } = context;
  const open = reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(eq(intent.deploymentId, deployment.id), canChange, sql`${intent.id} > ${sql.placeholder("after")}`),
    )
    .orderBy(intent.id)
    .limit(BATCH)
    .prepare("observe_open");
  // An order that came although the intent had expired, or whose refund a reorg took back; an order that vanished
  // together with its refund. Canceled by the merchant stays canceled: refund-late-funding.ts sees to its money.
  const reopened = reads
    .select({ id: intent.id })
    .from(intent)
    .leftJoin(chain.order, eq(chain.order.id, intent.orderId))
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.lastSeenStatus} = 'CANCELED'`,
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
  const cameBack = reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.lastSeenStatus} = 'FINAL'`,
        sql`${intent.id} in (select p.intent_id from gateway.payout p
          where p.state in ('failed', 'returned') and not exists (select from gateway.payout later
            where later.intent_id = p.intent_id and later.settlement_id = p.settlement_id and later.part = p.part
              and later.attempt > p.attempt))`,
      ),
    )
    .limit(BATCH)
    .prepare("observe_came_back");

  return async (stopping) => {
    let after: string | undefined = "";
    while (after !== undefined) {
      await pause();
      if (stopping.aborted) return;
      const ids: IntentId[] = (await open.execute({ after })).map(({ id }) => id);
      await look(context, ids);
      after = ids.length < BATCH ? undefined : ids.at(-1);
    }
    for (const query of [reopened, cameBack]) {
      await pause();
      const rows = await query.execute();
      await look(
        context,
        rows.map(({ id }) => id),
      );
    }
  };
}
