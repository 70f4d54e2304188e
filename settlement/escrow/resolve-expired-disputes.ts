// Resolves disputes that nobody decided within their window (spec, "Dispute resolution"). The contract decides the
// outcome: the order resumes, or the rest of its amount goes to the payee or to the payer (docs/release-types.md,
// "Disputes").
import { and, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { selectIndexedTime } from "#core/indexer-state/indexer-snapshot.ts";
import type { Context } from "../runtime/context.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { createOrderCallHandler } from "./due-orders.ts";

/** Includes orders of canceled intents, so that their payers do not wait forever. */
export const createDisputeResolver = (context: Context): WorkHandler =>
  createOrderCallHandler(context, {
    purpose: "resolve_expired_dispute",
    functionName: "resolveExpiredDispute",
    where: and(
      hasStatus(chain.order.status, "Disputed"),
      sql`${chain.order.disputeDeadline} < ${selectIndexedTime(context.deployment.chainId)}`,
    ),
  });
