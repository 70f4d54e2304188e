// Ends disputes whose window is over and that nobody has decided (spec, "Dispute resolution"). The contract decides how:
// the order resumes, or its rest goes to the payee or to the payer (docs/release-types.md, "Disputes").
import { and, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { selectIndexedTime } from "#core/indexer-state/indexer-snapshot.ts";
import type { Context } from "../runtime/context.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { createOrderCallHandler, statuses } from "./due-orders.ts";

/** An order of a canceled intent as well: its payer must not wait for ever. */
export const createDisputeResolver = (context: Context): WorkHandler =>
  createOrderCallHandler(context, {
    purpose: "resolve_expired_dispute",
    functionName: "resolveExpiredDispute",
    where: and(
      sql`${chain.order.status} = ${statuses("Disputed")}`,
      sql`${chain.order.disputeDeadline} < ${selectIndexedTime(context.deployment.chainId)}`,
    ),
  });
