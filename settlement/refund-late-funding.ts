// Money that arrives for a payment which the merchant has canceled goes back to the payer by itself, as long as the
// contract lets the operator send it back. That it came is told by tell-late-funding.ts, whose event leads here to it.
import { and, eq, exists, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { event } from "#core/db/event-schema.ts";
import { intent } from "#core/db/schema.ts";
import type { Context } from "./context.ts";
import { callForEach, isCanceledByMerchant, isFundedDeep, isOperatedBy, statuses } from "./due-orders.ts";
import { isLateFunding } from "./tell-late-funding.ts";

/** Makes the refunder's run. */
export const createRefunder = (context: Context): (() => Promise<void>) =>
  callForEach(context, {
    purpose: "refund",
    functionName: "refund",
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
