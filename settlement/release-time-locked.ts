// Releases time-locked orders whose lock has run out (spec, "Time-locked release rules"). The contract lets anybody.
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import { intent } from "#core/db/schema.ts";
import { indexedTime } from "#core/db/witness.ts";
import type { Context } from "./context.ts";
import { callForEach, canChange } from "./due-orders.ts";

/** A lock that ran out before the delivery waits for it (spec: "waits until order reaches DELIVERED or SHIPPED"). */
const RELEASABLE = [ORDER_STATUSES.indexOf("Shipped"), ORDER_STATUSES.indexOf("Delivered")];

/** Makes the run. By the chain's time, because the contract's is: this machine's clock decides nothing. */
export const createTimeLockReleaser = (context: Context): (() => Promise<void>) =>
  callForEach(context, {
    purpose: "release_time_locked",
    functionName: "releaseTimeLocked",
    due: and(
      canChange,
      // What was paid after the merchant's cancellation goes back: refund-late-funding.ts.
      isNull(intent.canceledAt),
      eq(chain.order.releaseType, RELEASE_TYPES.indexOf("TIME_LOCKED")),
      inArray(chain.order.status, RELEASABLE),
      sql`${chain.order.timeLockUntil} <= ${indexedTime}`,
    ),
  });
