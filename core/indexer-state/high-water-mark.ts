// The highest indexed block that any reader has seen. It distinguishes a shorter chain from an indexer that lags,
// restarts or follows a reorg.
import { and, eq, lt } from "drizzle-orm";
import { askChain, type ChainClient } from "../chain/client.ts";
import type { Database } from "../db/client.ts";
import { deployment } from "../db/schema/deployments.ts";
import type { Deployment } from "../deployment/deployment.ts";

/** Maximum depth of a reorg, in blocks. No chain has deeper reorgs, and Ponder does not follow them. */
export const DEEPEST_REORG = 256;

export type HighWaterMark = {
  /** Records that a block was read, so that later responses do not depend on an earlier block. */
  raise(block: number): Promise<void>;
  /**
   * Lowers the mark to the chain's tip if a reorg has made the chain shorter. On a branch of the same length, the
   * indexer soon reaches the mark. Until then, its head shows fewer confirmations than the chain has. The blocks' hashes
   * do not matter: the indexer reaches the mark or the tip on one branch or another.
   * @param head the indexer's head, below the mark
   * @returns whether the head is current, because it is the chain's tip
   */
  lower(mark: number, head: number): Promise<boolean>;
};

export function openHighWaterMark(
  database: Database,
  client: ChainClient,
  { id }: Pick<Deployment, "id">,
): HighWaterMark {
  async function raise(block: number): Promise<void> {
    await database
      .update(deployment)
      .set({ highWaterBlock: block })
      .where(and(eq(deployment.id, id), lt(deployment.highWaterBlock, block)));
  }

  async function lower(mark: number, head: number): Promise<boolean> {
    const tip = await askChain(async () => Number(await client.getBlockNumber({ cacheTime: 0 })));
    // A node below the indexer's head lags.
    if (tip >= mark || tip < head) return false;
    await database
      .update(deployment)
      .set({ highWaterBlock: tip })
      .where(and(eq(deployment.id, id), eq(deployment.highWaterBlock, mark)));
    return tip === head;
  }

  return {
    raise: shared(raise, ([running], [asked]) => running >= asked),
    lower: shared(lower, (running, asked) => running.every((block, index) => block === asked[index])),
  };
}

/** Shares a running call with callers that need the same result. */
function shared<A extends unknown[], R>(
  run: (...asked: A) => Promise<R>,
  answers: (running: A, asked: A) => boolean,
): (...asked: A) => Promise<R> {
  let running: { asked: A; done: Promise<R> } | undefined;
  return async (...asked) => {
    if (running && answers(running.asked, asked)) return running.done;
    const mine = { asked, done: run(...asked) };
    running = mine;
    try {
      return await mine.done;
    } finally {
      if (running === mine) running = undefined;
    }
  };
}
