// Emits events for intents: for each new status in the read model, each change of the escrow order, and each payout
// outcome.
import { inBatches } from "#core/db/batch.ts";
import { createPayoutEmitter } from "#core/events/payout-events.ts";
import { type IntentId, type OrderId, orderIdOfIntent, toIntentId } from "#core/ids.ts";
import { wallTime } from "#core/intent/payment-time.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Context } from "../runtime/context.ts";
import type { Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { hasPendingFacts } from "./escrow-facts.ts";
import { recordTransitions } from "./record-transitions.ts";

/** Intents per query; each takes about a dozen page reads. */
const BATCH = 125;
/** Intents whose events are written in one transaction. */
const AT_ONCE = 50;
/** Delay before a row that another process has locked is read again. */
const SOON_MS = 250;
/** Delay before an unknown reported transaction is checked again. */
const REPORTED_MS = 30_000;

/** Whether the intent has a change without an event. */
export const isUnreported = (view: IntentView): boolean =>
  !view.orphaned && (view.status !== view.intent.lastEmittedStatus || hasPendingFacts(view));

/**
 * @returns the number of changed intents, and the ids that another process has changed since they were read; the caller
 *   reads those again
 */
export async function recordChanges(context: Context, views: readonly IntentView[]) {
  const changedMeanwhile = new Set<IntentId>();
  const changed = views.filter(isUnreported);
  await inBatches(changed, AT_ONCE, async (batch) => {
    for (const id of await recordTransitions(context, batch)) changedMeanwhile.add(id);
  });
  return { changed: changed.length, changedMeanwhile };
}

/**
 * Returns when a new block or the passing of time alone can change the status. Other changes schedule their own
 * observation.
 */
export function nextObservation({ order, head, facts, status, relaying, orphaned }: IntentView): Outcome {
  if (orphaned || status === "FINAL") return "done";
  if (order) {
    const depths = [order.createdBlock, order.updatedBlock].map((block) => block + facts.confirmations - 1);
    const next = depths.filter((block) => block > head.block);
    if (next.length > 0) return { clock: "block", due: Math.min(...next) };
    const { finalAt, providerNotQueried } = facts.payouts;
    if (status !== "SETTLED" || finalAt === null || providerNotQueried) return "done";
    return { delayMs: SOON_MS, notBefore: (wallTime() + finalAt - facts.now) * 1_000 };
  }
  if (status === "CANCELED" || relaying) return "done";
  if (facts.funding === "unresolved") return { delayMs: REPORTED_MS };
  const expired = facts.fundingDeadline + facts.confirmationTime + 1;
  // After the deadline, a payment whose funding failed keeps its status.
  return expired > head.timestamp ? { clock: "time", due: expired } : "done";
}

/** Returns a handler that emits the pending changes of the claimed intents. */
export function createObserver(context: Context): WorkHandler {
  const emitPayouts = createPayoutEmitter(context);
  return {
    atOnce: BATCH,
    async handle(items) {
      const ids = items.map(({ orderId }) => toIntentId(orderId));
      const locked = await emitPayouts(ids);
      const views = await context.reader.findAll(ids);
      const { changedMeanwhile } = await recordChanges(context, views);
      return new Map(
        views.map((view): [OrderId, Outcome] => {
          const { id } = view.intent;
          return [
            orderIdOfIntent(id),
            locked.has(id) || changedMeanwhile.has(id) ? { delayMs: SOON_MS } : nextObservation(view),
          ];
        }),
      );
    },
  };
}
