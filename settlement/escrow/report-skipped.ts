// Logs the orders that a batch skipped, with the reason (contracts/IDeliveryVsPayment.sol, SettlementSkipped). The
// batch itself succeeds, so nothing else reports them.
import { and, eq, gt, sql } from "drizzle-orm";
import { decodeErrorResult, type Hex } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import * as chain from "#core/db/chain.ts";
import type { Context } from "../runtime/context.ts";
import { isOperatedBy } from "./due-orders.ts";

/** Returns the name of a contract error, or the raw data of a token's error. */
function decodeReason(reason: Hex): string {
  try {
    return decodeErrorResult({ abi: deliveryVsPaymentAbi, data: reason }).errorName;
  } catch {
    return reason;
  }
}

/**
 * Creates the reporter, which reports each skip once. After a restart, it repeats the skips that are not settled yet.
 */
export function createSkipReporter(context: Context): () => Promise<void> {
  const { database, log } = context;
  let reported = 0;
  return async () => {
    const rows = await database
      .select({
        order: chain.settlementSkip.orderId,
        times: chain.settlementSkip.skipCount,
        reason: chain.settlementSkip.reason,
        transaction: chain.settlementSkip.txHash,
        block: chain.settlementSkip.block,
      })
      .from(chain.settlementSkip)
      .innerJoin(chain.order, eq(chain.order.id, chain.settlementSkip.orderId))
      .where(
        and(
          gt(chain.settlementSkip.block, reported),
          sql`${chain.order.released} > ${chain.order.settled}`,
          // Other operators may settle, and skip, their own orders.
          isOperatedBy(context),
        ),
      );
    for (const { block, reason, ...row } of rows) {
      log.warn({ ...row, reason: decodeReason(reason) }, "settlement skipped an order");
      reported = Math.max(reported, block);
    }
  };
}
