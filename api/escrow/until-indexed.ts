// Delays responses on a fast chain until the indexer has processed the write, so that callers can read their own
// writes.
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Services } from "../services.ts";

/** Longer than a healthy indexer takes under load. */
const LONGEST_MS = 8_000;
/** On a slower chain, mining takes longer than a caller should wait. */
const SLOWEST_BLOCK_S = 1.5;
const STEP_MS = 25;
/** Number of blocks within which a fast chain mines a transaction. */
const BLOCKS = 2;

/**
 * Resolves when a transaction's effect is indexed, or after a timeout. Does not fail if the indexer is unavailable,
 * because the operation is stored and will be executed: the caller might request it again.
 * @param before the order's state when the transaction was created
 */
export async function untilIndexed(
  { reader, config, client }: Pick<Services, "reader" | "config" | "client">,
  before: IntentView,
  transactionHash: Hex,
): Promise<void> {
  if (config.chain.blockTime > SLOWEST_BLOCK_S) return;
  const giveUpAt = Date.now() + LONGEST_MS;
  let minedIn = Number.POSITIVE_INFINITY;
  let askAbove = before.head.block + BLOCKS;
  while (Date.now() < giveUpAt) {
    const view = await reader.find(before.intent.id).catch(() => undefined);
    if (view?.order?.operationTxHash === transactionHash) return;
    const head = view?.head.block ?? 0;
    if (head >= minedIn) return;
    // The order does not show a transaction that failed, or that another one followed, such as the payer's own.
    if (head > askAbove) {
      askAbove = Number.POSITIVE_INFINITY;
      // Not awaited, because a slow node must not delay the response of an operation that is indexed.
      void findBlock(client, transactionHash).then((block) => {
        minedIn = block;
        askAbove = head;
      });
    }
    await delay(STEP_MS);
  }
}

/** Returns the block that contains the transaction; infinite if the node does not know it, or fails. */
const findBlock = (client: Services["client"], hash: Hex): Promise<number> =>
  client.getTransactionReceipt({ hash }).then(
    ({ blockNumber }) => Number(blockNumber),
    () => Number.POSITIVE_INFINITY,
  );
