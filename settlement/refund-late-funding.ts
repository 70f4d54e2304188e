// Money that arrives for a payment which the merchant has canceled goes back to the payer by itself, as long as the
// contract lets the operator send it back. tell-late-funding.ts emits the event that leads here.
import { and, eq, exists, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { event } from "#core/db/event-schema.ts";
import { intent } from "#core/db/schema.ts";
import type { Context } from "./context.ts";
import {
  callForEach,
  type DueOrder,
  isCanceledByMerchant,
  isFundedDeep,
  isOperatedBy,
  statuses,
} from "./due-orders.ts";
import { isLateFunding } from "./tell-late-funding.ts";

/** Makes the refunder's run. */
export function createRefunder(context: Context): () => Promise<void> {
  /** What is neither released nor returned. */
  async function rest({ orderId }: DueOrder): Promise<[bigint]> {
    const [row] = await context.reads
      .select({
        rest: sql<string>`${chain.order.amount} - ${chain.order.released} - ${chain.order.refunded}`,
      })
      .from(chain.order)
      .where(eq(chain.order.id, orderId));
    return [BigInt(row?.rest ?? 0)];
  }

  return callForEach(context, {
    purpose: "refund",
    functionName: "refund",
    more: rest,
    due: {
      where: and(
        isCanceledByMerchant,
        exists(
          context.database
            .select({ id: event.id })
            .from(event)
            .where(and(eq(event.intentId, intent.id), isLateFunding)),
        ),
        // The operator may refund as long as no delivery is proven.
        sql`${chain.order.status} in (${statuses("Created", "Shipped", "Delivered")})`,
        eq(chain.order.proven, false),
        isOperatedBy(context),
        isFundedDeep(context),
      ),
      by: chain.order.createdBlock,
    },
  });
}
