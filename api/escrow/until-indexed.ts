// Lets callers on a fast chain read their own writes: the answer waits a moment for the indexer.
import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import type { IntentView } from "#core/db/read-intent.ts";
import type { Services } from "../services.ts";

/** Longer than an indexer that is well takes on a busy machine. */
const LONGEST_MS = 8_000;
/** A slower chain takes longer to mine than a caller wants to wait. */
const SLOWEST_BLOCK_S = 1.5;
const STEP_MS = 25;
/** A fast chain has mined a transaction by then. */
const BLOCKS = 2;

/**
 * Returns when the indexer shows what a transaction did, or when waiting longer would be no courtesy any more: what was
 * done is stored and will be done in any case.
 * @param before as the order was when the transaction was made
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

/** The order shows its last change alone. Where that is another's, such as a settlement's, blocks decide. */
function isSeen(before: IntentView, now: IntentView, transactionHash: Hex): boolean {
  const last = now.order?.updatedTxHash;
  if (last === transactionHash) return true;
  return last !== before.order?.updatedTxHash && now.head.block > before.head.block + BLOCKS;
}
