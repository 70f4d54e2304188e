// Money that arrives for a payment which the merchant has canceled goes back to the payer by itself.
import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema.ts";
import { recordEvents } from "#core/events/record-events.ts";
import { transitionEvent } from "#core/events/transition-event.ts";
import type { Context } from "./context.ts";
import { callForEach, isFundedDeep, isOperatedBy } from "./due-orders.ts";

/** In which the operator may refund, as long as no delivery is proven. */
const REFUNDABLE = (["Created", "Shipped", "Delivered"] as const).map((status) =>
  ORDER_STATUSES.indexOf(status),
);

/** Makes the refunder's run. */
export function createRefunder(context: Context): () => Promise<void> {
  const { reader, config } = context;
  return callForEach(context, {
    purpose: "refund",
    functionName: "refund",
    due: and(
      eq(intent.lastSeenStatus, "CANCELED"),
      isNotNull(intent.canceledAt),
      inArray(chain.order.status, REFUNDABLE),
      eq(chain.order.proven, false),
      isOperatedBy(context),
      isFundedDeep(context),
    ),
    async also(tx, { intentId, createdBlockHash }) {
      const view = await reader.findLocked(tx, intentId);
      if (!view) return;
      const step = { type: "payment_intent.late_funding", from: "CANCELED", to: "CANCELED" } as const;
      await recordEvents(tx, view.intent, [transitionEvent(view, config, step, createdBlockHash)]);
    },
  });
}
