// Ends disputes whose window is over and that nobody has decided (spec, "Dispute resolution"): the contract gives the
// money to the payee after a valid proof, else to the payer.
import { and, eq, sql } from "drizzle-orm";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { indexedTime } from "#core/db/witness.ts";
import type { Context } from "./context.ts";
import { callForEach } from "./due-orders.ts";

/** Makes the run. An order of a canceled intent as well: whoever paid for it shall not wait for ever. */
export const createDisputeEnder = (context: Context): (() => Promise<void>) =>
  callForEach(context, {
    purpose: "resolve_expired_dispute",
    functionName: "resolveExpiredDispute",
    due: and(
      eq(chain.order.status, ORDER_STATUSES.indexOf("Disputed")),
      sql`${chain.order.disputeDeadline} < ${indexedTime}`,
    ),
  });
