// Says which orders a batch passed over, and why (contracts/IDeliveryVsPayment.sol, SettlementSkipped): the rest was
// settled, so nothing else would tell.
import { and, eq, gt, sql } from "drizzle-orm";
import { decodeErrorResult, type Hex } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import * as chain from "#core/db/chain.ts";
import type { Context } from "../runtime/context.ts";
import { isOperatedBy } from "./due-orders.ts";

/** The contract's error by its name; what a token said as it is. */
function nameOf(reason: Hex): string {
  try {
    return decodeErrorResult({ abi: deliveryVsPaymentAbi, data: reason }).errorName;
  } catch {
    return reason;
  }
}

/** Makes the reporter's run. It tells of each time once; after a restart again of those that are not settled since. */
export function createSkipReporter(context: Context): () => Promise<void> {
  const { database, log } = context;
  let told = 0;
  return async () => {
    const rows = await database
      .select({
        order: chain.settlementSkip.orderId,
        times: chain.settlementSkip.times,
        reason: chain.settlementSkip.reason,
        transaction: chain.settlementSkip.txHash,
        block: chain.settlementSkip.block,
      })
      .from(chain.settlementSkip)
      .innerJoin(chain.order, eq(chain.order.id, chain.settlementSkip.orderId))
      .where(
        and(
          gt(chain.settlementSkip.block, told),
          sql`${chain.order.released} > ${chain.order.settled}`,
          // Others may settle, and pass over, what they serve.
          isOperatedBy(context),
        ),
      );
    for (const { block, reason, ...row } of rows) {
      log.warn({ ...row, reason: nameOf(reason) }, "settlement skipped an order");
      told = Math.max(told, block);
    }
  };
}
