// Releases time-locked orders whose lock has expired (spec, "Time-locked release rules"). Anyone may make this call.
import { and, isNull, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { hasStatus } from "#core/db/order-statuses.ts";
import { intent } from "#core/db/schema/intents.ts";
import { selectIndexedTime } from "#core/indexer-state/indexer-snapshot.ts";
import type { Context } from "../runtime/context.ts";
import type { WorkHandler } from "../runtime/work-loop.ts";
import { createOrderCallHandler, isNotFinal, releaseType } from "./due-orders.ts";

/** Compares the lock with the chain's time, as the contract does, and not with the local clock. */
export const createTimeLockReleaser = (context: Context): WorkHandler =>
  createOrderCallHandler(context, {
    purpose: "release_time_locked",
    functionName: "releaseTimeLocked",
    where: and(
      isNotFinal,
      // A payment after the merchant's cancellation is refunded (return-late-funding.ts).
      isNull(intent.canceledAt),
      // If the lock expires before delivery, the release waits for it (spec: "waits until order reaches DELIVERED or
      // SHIPPED").
      sql`${chain.order.releaseType} = ${releaseType("TIME_LOCKED")}`,
      hasStatus(chain.order.status, "Shipped", "Delivered"),
      sql`${chain.order.timeLockUntil} <= ${selectIndexedTime(context.deployment.chainId)}`,
    ),
  });
