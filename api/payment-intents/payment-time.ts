// The time that a new payment's deadlines are counted from (design, "One clock for payments").
import { eq } from "drizzle-orm";
import type { Config } from "#core/config.ts";
import { together } from "#core/db/batch.ts";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { isIndexerMissing } from "#core/db/errors.ts";
import { indexedTime } from "#core/db/indexer-snapshot.ts";

/** In Unix seconds. */
export type PaymentTime = () => Promise<number>;

const wallTime = (): number => Math.floor(Date.now() / 1000);

/**
 * A real network's blocks follow wall time. A local chain's clock can be moved ahead of it, and what the contract then
 * judges by is the chain's.
 */
export function createPaymentTime({ chain: network }: Config, reads: Database): PaymentTime {
  if (!network.simulated) return async () => wallTime();
  const query = reads
    .select({ time: indexedTime })
    .from(chain.ponderCheckpoint)
    .where(eq(chain.ponderCheckpoint.chainId, network.id))
    .prepare("payment_time");
  // One statement for payments that are made at the same time.
  const readHead = together(async (chainIds: readonly number[]) => {
    const [head] = await query.execute();
    return chainIds.map(() => Number(head?.time ?? 0));
  });
  return async () => {
    try {
      return Math.max(wallTime(), await readHead(network.id));
    } catch (error) {
      // An indexer that has not started yet has seen no block.
      if (isIndexerMissing(error)) return wallTime();
      throw error;
    }
  };
}
