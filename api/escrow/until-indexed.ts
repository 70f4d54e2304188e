// Lets callers on a fast chain read their own writes: the response waits briefly for the indexer.
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Services } from "../services.ts";

/** Longer than a healthy indexer takes on a busy machine. */
const LONGEST_MS = 8_000;
/** A slower chain takes longer to mine than a caller wants to wait. */
const SLOWEST_BLOCK_S = 1.5;
const STEP_MS = 25;
/** A fast chain has mined a transaction by then. */
const BLOCKS = 2;

/**
 * Resolves when the indexer shows a transaction's effect, or after a timeout: the operation is stored and will be
 * executed in any case.
 * @param before the order's state when the transaction was created
 */
export async function untilIndexed(
  { reader, config }: Services,
  before: IntentView,
  transactionHash: Hex,
): Promise<void> {
  if (config.chain.blockTime > SLOWEST_BLOCK_S) return;
  const giveUpAt = Date.now() + LONGEST_MS;
  while (Date.now() < giveUpAt) {
    const view = await reader.find(before.intent.id);
    if (!view || isSeen(before, view, transactionHash)) return;
    await delay(STEP_MS);
  }
}

/** The order only shows its latest change. If that is a different one, such as a settlement, block numbers decide. */
function isSeen(before: IntentView, now: IntentView, transactionHash: Hex): boolean {
  const last = now.order?.updatedTxHash;
  if (last === transactionHash) return true;
  return last !== before.order?.updatedTxHash && now.head.block > before.head.block + BLOCKS;
}
