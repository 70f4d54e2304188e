// Lets a caller who acts on a fast chain read his own write: the answer waits a moment for the indexer.
import { setTimeout as delay } from "node:timers/promises";
import type { IntentView } from "#core/db/read-intent.ts";
import type { Services } from "../services.ts";

const LONGEST_MS = 3_000;
const STEP_MS = 25;

/**
 * Returns when the indexer shows what was done, or when waiting longer would be no courtesy any more: what was done is
 * stored and will be done in any case.
 */
export async function untilIndexed(
  { reader, config }: Services,
  { intent }: IntentView,
  isSeen: (view: IntentView) => boolean,
): Promise<void> {
  // A slow chain takes longer to mine than a caller wants to wait.
  if (config.chain.blockTime * 1_000 * 2 > LONGEST_MS) return;
  const giveUpAt = Date.now() + LONGEST_MS;
  while (Date.now() < giveUpAt) {
    const view = await reader.find(intent.id);
    if (!view || isSeen(view)) return;
    await delay(STEP_MS);
  }
}
