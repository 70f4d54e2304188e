// Reads the payment time for operations that have not read a payment together with its head.
import { eq } from "drizzle-orm";
import type { Config } from "#core/config/config.ts";
import { together } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { isIndexerMissing } from "#core/db/errors.ts";
import { indexedTime } from "#core/indexer-state/indexer-snapshot.ts";
import { paymentTime } from "#core/intent/payment-time.ts";

/** Returns the payment time in Unix seconds. */
export type PaymentTime = () => Promise<number>;

export function createPaymentTime({ chain: network }: Config, reads: Database): PaymentTime {
  const query = reads
    .select({ time: indexedTime })
    .from(chain.ponderCheckpoint)
    .where(eq(chain.ponderCheckpoint.chainId, network.id))
    .prepare("payment_time");
  // Payments that are created concurrently share one statement.
  const readHead = together(async (chainIds: readonly number[]) => {
    const [head] = await query.execute();
    return chainIds.map(() => Number(head?.time ?? 0));
  });
  return async () => {
    try {
      return paymentTime({ timestamp: await readHead(network.id) });
    } catch (error) {
      // An indexer that has not started yet has not indexed any block.
      if (isIndexerMissing(error)) return paymentTime({ timestamp: 0 });
      throw error;
    }
  };
}
