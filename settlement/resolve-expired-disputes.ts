// Ends disputes whose window is over and that nobody has decided (spec, "Dispute resolution"). The contract decides how:
// the order resumes, or its rest goes to the payee or to the payer (design, section 3).
import { and, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { selectIndexedTime } from "#core/db/witness.ts";
import type { Context } from "./context.ts";
import { callForEach, statuses } from "./due-orders.ts";

/** Makes the run. An order of a canceled intent as well: whoever paid for it shall not wait for ever. */
export const createDisputeEnder = (context: Context): (() => Promise<void>) =>
  callForEach(context, {
    purpose: "resolve_expired_dispute",
    functionName: "resolveExpiredDispute",
    due: {
      where: and(
        sql`${chain.order.status} = ${statuses("Disputed")}`,
        sql`${chain.order.disputeDeadline} < ${selectIndexedTime(context.deployment.chainId)}`,
      ),
      by: chain.order.disputeDeadline,
    },
  });
