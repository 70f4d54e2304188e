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
 * Resolves when a transaction's effect is indexed, or after a timeout. The operation is stored and will be
 * executed in either case.
 * @param before the order's state when the transaction was created
 */
export async function untilIndexed(
  { reader, config }: Pick<Services, "reader" | "config">,
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

/** The order only shows the latest operation. If another one followed, such as the payer's own, block numbers decide. */
function isSeen(before: IntentView, now: IntentView, transactionHash: Hex): boolean {
  const last = now.order?.movedTxHash;
  if (last === transactionHash) return true;
  return last !== before.order?.movedTxHash && now.head.block > before.head.block + BLOCKS;
}
