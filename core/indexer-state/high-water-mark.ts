// The high-water mark: the highest indexed block that any reader has seen. A restarting indexer repeats its last blocks,
// and until it has reached this mark again, old data would look like a reorg.
import { and, eq, lt } from "drizzle-orm";
import { askChain, type ChainClient } from "../chain/client.ts";
import type { Database } from "../db/client.ts";
import { deployment } from "../db/schema/deployments.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { ServiceError, serviceUnavailable } from "../errors.ts";

/** Maximum depth of a reorg, in blocks. No chain has deeper reorgs, and Ponder does not follow them. */
export const DEEPEST_REORG = 256;

export type HighWaterMark = {
  /** Records that a block was read, so that later responses do not depend on an earlier block. */
  raise(block: number): Promise<void>;
  /**
   * Lowers the mark to the chain's tip, and returns whether the indexer's head can be trusted. This requires a shorter
   * chain than before: a tip below the mark. The mark falls no lower than the tip, because the indexer reads the new
   * branch block by block. The head is trusted only at the tip: a restarted indexer repeats the same blocks.
   * @throws ServiceError if the node cannot be queried
   */
  lower(mark: number, head: number): Promise<boolean>;
};

/**
 * @param lagMs time for which every answer must be below the mark before it is lowered. It may pass twice, once for the
 * answer of a lagging node and once for the shorter chain's tip
 */
export function openHighWaterMark(
  database: Database,
  client: ChainClient,
  { id }: Pick<Deployment, "id">,
  lagMs: number,
): HighWaterMark {
  async function raise(block: number): Promise<void> {
    await database
      .update(deployment)
      .set({ highWaterBlock: block })
      .where(and(eq(deployment.id, id), lt(deployment.highWaterBlock, block)));
  }

  async function askTip(): Promise<number> {
    try {
      // Not `getBlockNumber`, which may return the answer to an earlier request that is still in progress.
      return await askChain(async () => Number(BigInt(await client.request({ method: "eth_blockNumber" }))));
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw serviceUnavailable("The blockchain node cannot be queried.", error);
    }
  }

  /** The answers below a mark since the last one that was not: their highest block, and the first one's time. */
  let below: { mark: number; highest: number; since: number } | undefined;

  /**
   * @param asked when the node was asked: an answer can arrive seconds after the node has given it
   * @returns the highest of the answers, if they have been below the mark for long enough
   */
  function findShorterTip(mark: number, tip: number, asked: number): number | undefined {
    const earlier = below?.mark === mark ? below : undefined;
    below = { mark, highest: Math.max(tip, earlier?.highest ?? 0), since: earlier?.since ?? asked };
    return asked - below.since < lagMs ? undefined : below.highest;
  }

  async function lower(mark: number, head: number): Promise<boolean> {
    const asked = performance.now();
    const tip = await askTip();
    if (tip >= mark) below = undefined;
    // A node below the indexer's head lags.
    if (tip >= mark || tip < head) return false;
    const shorter = findShorterTip(mark, tip, asked);
    if (shorter === undefined) return false;
    below = undefined;
    // If another process has changed the mark in the meantime, the next read decides.
    const { rowCount } = await database
      .update(deployment)
      .set({ highWaterBlock: shorter })
      .where(and(eq(deployment.id, id), eq(deployment.highWaterBlock, mark)));
    return rowCount === 1 && shorter === head;
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
