// Returns money that arrives after the merchant has canceled the payment: the merchant gets an event, and the payer
// gets the money back as long as the contract allows the operator to refund it. Only the merchant's own account can
// withdraw funds that are already released (a CONDITIONAL payment is released immediately), with the contract's
// withdraw().
import { and, eq, isNotNull, notExists, sql } from "drizzle-orm";
import { OPEN_STATUSES } from "#core/chain/terms.ts";
import { hexText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { recordEvents } from "#core/events/record-events.ts";
import type { IntentId, OrderId } from "#core/ids.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import { transitionEvent } from "../events/transition-event.ts";
import type { Context } from "../runtime/context.ts";
import { nextBlock, type Outcome } from "../runtime/work-items.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { createOrderCallHandler, createOrderReading, type DueOrder, isOperatedBy } from "./due-orders.ts";

const LATE_FUNDING = "payment_intent.late_funding";

/**
 * In these statuses the payee took the money before the event was due, and the payment's final status already shows
 * that.
 */
const ENDED: readonly IntentStatus[] = ["SETTLED", "FINAL"];

const isCanceled = and(isNotNull(intent.canceledAt), eq(intent.lastEmittedStatus, "CANCELED"));

/** Returns a handler that refunds amounts that are neither released nor refunded. */
function createRefunder(context: Context): WorkHandler {
  async function rest({ orderId }: DueOrder): Promise<[bigint]> {
    const [row] = await context.reads
      .select({
        rest: sql<string>`${chain.order.amount} - ${chain.order.released} - ${chain.order.refunded}`,
      })
      .from(chain.order)
      .where(eq(chain.order.id, orderId));
    return [BigInt(row?.rest ?? 0)];
  }

  return createOrderCallHandler(context, {
    purpose: "refund",
    functionName: "refund",
    more: rest,
    where: and(
      isCanceled,
      // The operator is allowed to refund as long as no delivery is proven.
      hasStatus(chain.order.status, ...OPEN_STATUSES),
      eq(chain.order.proven, false),
      isOperatedBy(context),
    ),
  });
}

/** Returns a handler that emits the event, once for each block that funded the order, and then refunds. */
export function createLateFundingReturner(context: Context): WorkHandler {
  const { database, reader, config } = context;
  const refunder = createRefunder(context);
  const emitted = database
    .select({ id: event.id })
    .from(event)
    .where(
      and(
        eq(event.intentId, intent.id),
        eq(event.type, LATE_FUNDING),
        // Funding that a reorg moved to another block counts as new funding.
        eq(event.decidedBy, hexText(chain.order.createdBlockHash)),
      ),
    );
  const readPending = createOrderReading(
    context,
    "refund",
    and(isNotNull(intent.canceledAt), notExists(emitted)),
    "late_funding",
  );

  const emit = (id: IntentId): Promise<void> =>
    database.transaction(async (tx) => {
      const view = await reader.findLocked(tx, id);
      if (!view?.order) return;
      const step = { type: LATE_FUNDING, from: "CANCELED", to: "CANCELED" } as const;
      await recordEvents(tx, view.intent, [transitionEvent(view, config, step, view.order.createdBlockHash)]);
    });

  return {
    atOnce: refunder.atOnce,
    async handle(items, head) {
      const early = new Map<OrderId, Outcome>();
      for (const { intentId, orderId, confirmed, emittedStatus } of await readPending(items)) {
        // The cancellation must be emitted before the late funding.
        if (!confirmed || !(emittedStatus === "CANCELED" || ENDED.includes(emittedStatus)))
          early.set(orderId, nextBlock(head));
        else if (emittedStatus === "CANCELED") await emit(intentId);
      }
      return new Map([...early, ...(await refunder.handle(items, head))]);
    },
  };
}
