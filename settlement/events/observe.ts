// Emits events for intents: for each new status in the read model, each change of the escrow order, and each payout
// outcome.
import { inBatches } from "#core/db/batch.ts";
import { type IntentId, type OrderId, orderIdOfIntent, toIntentId } from "#core/ids.ts";
import { wallTime } from "#core/intent/payment-time.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Context } from "../runtime/context.ts";
import type { Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { hasOwnChange, recordChanges } from "./record-changes.ts";

/** Intents that are read by one query (core/intent/read-intent.ts), and whose events are written in one transaction. */
const BATCH = 50;
/** Batches in progress at a time: while the database answers one, the process prepares the other. */
const LANES = 2;
/** Delay before an intent that another process has changed or locked is read again. */
const SOON_MS = 250;
/** Delay before an unknown reported transaction is checked again. */
const REPORTED_MS = 30_000;

/** Whether the intent or one of its payouts has a change without an event. */
export const isUnreported = (view: IntentView): boolean =>
  hasOwnChange(view) || (view.payouts?.unreported.length ?? 0) > 0;

/**
 * Records what no event reports yet.
 * @returns the ids of intents that another process has changed or locked since they were read; nothing of them is
 *   recorded
 */
export async function recordUnreported(
  context: Context,
  views: readonly IntentView[],
): Promise<ReadonlySet<IntentId>> {
  const changedMeanwhile = new Set<IntentId>();
  await inBatches(views.filter(isUnreported), BATCH, async (batch) => {
    for (const id of await recordChanges(context, batch)) changedMeanwhile.add(id);
  });
  return changedMeanwhile;
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
  return {
    atOnce: BATCH,
    lanes: LANES,
    async handle(items) {
      const views = await context.reader.findAll(items.map(({ orderId }) => toIntentId(orderId)));
      const changedMeanwhile = await recordUnreported(context, views);
      return new Map(
        views.map((view): [OrderId, Outcome] => {
          const { id } = view.intent;
          return [
            orderIdOfIntent(id),
            changedMeanwhile.has(id) ? { delayMs: SOON_MS } : nextObservation(view),
          ];
        }),
      );
    },
  };
}
