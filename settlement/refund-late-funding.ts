// Money that arrives for a payment which the merchant has canceled goes back to the payer by itself, as long as the
// contract lets the operator send it back. That it came is told by tell-late-funding.ts.
import { and, eq, inArray } from "drizzle-orm";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import type { Context } from "./context.ts";
import { callForEach, isCanceledByMerchant, isFundedDeep, isOperatedBy } from "./due-orders.ts";

/** In which the operator may refund, as long as no delivery is proven. */
const REFUNDABLE = (["Created", "Shipped", "Delivered"] as const).map((status) =>
  ORDER_STATUSES.indexOf(status),
);

/** Makes the refunder's run. */
export const createRefunder = (context: Context): (() => Promise<void>) =>
  callForEach(context, {
    purpose: "refund",
    functionName: "refund",
    due: and(
      isCanceledByMerchant,
      inArray(chain.order.status, REFUNDABLE),
      eq(chain.order.proven, false),
      isOperatedBy(context),
      isFundedDeep(context),
    ),
  });
