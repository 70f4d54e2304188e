// Emits the changes of intents: a status that the read model shows for the first time becomes an event, and so does a
// change of the escrow order and the outcome of a payout.
import { inBatches } from "#core/db/batch.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { createPayoutEmitter } from "#core/events/payout-events.ts";
import { type IntentId, type OrderId, toIntentId } from "#core/ids.ts";
import { wallTime } from "#core/intent/payment-time.ts";
import type { Context } from "../runtime/context.ts";
import type { Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { hasPendingFacts } from "./escrow-facts.ts";
import { recordTransitions } from "./record-transitions.ts";

/** How many intents are read in one query: a dozen pages each. */
const BATCH = 125;
/** Events written in one transaction. */
const AT_ONCE = 50;
/**
 * A row that another process writes at this moment is read again, and so is a reported transaction that no node knows.
 */
const SOON_MS = 250;
const REPORTED_MS = 30_000;

/** Whether a payment has a change that no event reports yet. */
export const isUnreported = (view: IntentView): boolean =>
  !view.orphaned && (view.status !== view.intent.lastEmittedStatus || hasPendingFacts(view));

/**
 * @returns the number with anything to emit, and those that were written since they were read: they are to be read
 *   again
 */
export async function recordChanges(context: Context, views: readonly IntentView[]) {
  const overtaken = new Set<IntentId>();
  const changed = views.filter(isUnreported);
  await inBatches(changed, AT_ONCE, async (some) => {
    for (const id of await recordTransitions(context, some)) overtaken.add(id);
  });
  return { changed: changed.length, overtaken };
}

/** When an intent's status may change although nothing about it changes. Every change makes it due by itself. */
export function nextObservation({ order, head, facts, status, relaying, orphaned }: IntentView): Outcome {
  if (orphaned || status === "FINAL") return "done";
  if (order) {
    const depths = [order.createdBlock, order.updatedBlock].map((block) => block + facts.confirmations - 1);
    const next = depths.filter((block) => block > head.block);
    if (next.length > 0) return { clock: "block", due: Math.min(...next) };
    const { finalAt, unasked } = facts.payouts;
    if (status !== "SETTLED" || finalAt === null || unasked) return "done";
    return { delayMs: SOON_MS, notBefore: (wallTime() + finalAt - facts.now) * 1_000 };
  }
  if (status === "CANCELED" || relaying) return "done";
  if (facts.funding === "unresolved") return { delayMs: REPORTED_MS };
  const expired = facts.fundingDeadline + facts.confirmationTime + 1;
  // A payment whose funding failed stays as it is after the deadline.
  return expired > head.timestamp ? { clock: "time", due: expired } : "done";
}

/** Returns a handler that emits what has changed. */
export function createObserver(context: Context): WorkHandler {
  const emitPayouts = createPayoutEmitter(context);
  return {
    atOnce: BATCH,
    async handle(items) {
      const ids = items.map(({ orderId }) => toIntentId(orderId));
      const locked = await emitPayouts(ids);
      const views = await context.reader.findAll(ids);
      const { overtaken } = await recordChanges(context, views);
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
