// The highest indexed block that any reader has seen, and the blocks below it. They distinguish a reorg from an indexer
// that lags or restarts. They also show the depth of a reorg, because blocks that it does not remove stay recorded.
import { and, desc, eq, gt, lt, lte, sql } from "drizzle-orm";
import { BlockNotFoundError, type Hex } from "viem";
import { askChain, type ChainClient } from "../chain/client.ts";
import type { Database } from "../db/client.ts";
import { deployment, indexedBlock } from "../db/schema/deployments.ts";
import type { Deployment } from "../deployment/deployment.ts";

/** Maximum depth of a reorg, in blocks. No chain has deeper reorgs, and Ponder does not follow them. */
export const DEEPEST_REORG = 256;

/** Maximum number of new blocks that one call records. Earlier blocks of a longer gap are not recorded. */
const AT_ONCE = 32;

export type HighWaterMark = {
  /** Records that a block was read, so that later responses do not depend on an earlier block. */
  raise(block: number): Promise<void>;
  /**
   * Lowers the mark if the indexer's head is below it and a reorg has made the chain shorter: to the chain's tip, or to
   * the highest block that was read and is still on the chain. On a branch of the same length, the indexer soon reaches
   * the mark. Until then, its head shows fewer confirmations than the chain has.
   * @returns whether the head is current: the chain has no block above it, or none that was read
   */
  lower(mark: number, head: number): Promise<boolean>;
  /** Records the blocks up to the head. */
  remember(head: number): Promise<void>;
};

export function openHighWaterMark(
  database: Database,
  client: ChainClient,
  { id }: Pick<Deployment, "id">,
): HighWaterMark {
  const ofDeployment = eq(indexedBlock.deploymentId, id);

  /** Returns null if the node does not have the block, because one URL may serve several nodes, some of which lag. */
  async function loadHash(number: number): Promise<Hex | null> {
    try {
      return (await client.getBlock({ blockNumber: BigInt(number) })).hash;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return null;
      throw error;
    }
  }

  let remembered = 0;
  let forgetAt = 0;

  async function raise(block: number): Promise<void> {
    await database
      .update(deployment)
      .set({ highWaterBlock: block })
      .where(and(eq(deployment.id, id), lt(deployment.highWaterBlock, block)));
  }

  async function lower(mark: number, head: number): Promise<boolean> {
    const known = await database
      .select()
      .from(indexedBlock)
      .where(and(ofDeployment, gt(indexedBlock.number, head), lte(indexedBlock.number, mark)))
      .orderBy(desc(indexedBlock.number));
    const [top] = known;
    // No reorg is proven. The indexer will reach the mark, on one branch or another.
    if (!top) return false;
    const { tip, common } = await askChain(async () => {
      const tip = Number(await client.getBlockNumber({ cacheTime: 0 }));
      for (const { number, hash } of known) {
        if (number <= tip && (await loadHash(number)) === hash) return { tip, common: number };
      }
      return { tip, common: head };
    });
    if (common === top.number && tip >= mark) return false;
    const to = Math.max(common, Math.min(mark, tip));
    await database.transaction(async (tx) => {
      const lowered = await tx
        .update(deployment)
        .set({ highWaterBlock: to })
        .where(and(eq(deployment.id, id), eq(deployment.highWaterBlock, mark)))
        .returning({ id: deployment.id });
      if (lowered.length > 0)
        await tx.delete(indexedBlock).where(and(ofDeployment, gt(indexedBlock.number, common)));
    });
    return to === head;
  }

  return {
    raise: shared(raise, ([running], [asked]) => running >= asked),
    lower: shared(lower, (running, asked) => running.every((block, index) => block === asked[index])),

    async remember(head) {
      // If the indexer has reverted, the recorded blocks may belong to another branch.
      const first = head > remembered ? Math.max(remembered + 1, head - AT_ONCE + 1) : head;
      if (first === remembered) return;
      const numbers = Array.from({ length: head - first + 1 }, (_, index) => first + index);
      const hashes = await askChain(() => Promise.all(numbers.map(loadHash)));
      const rows = numbers.flatMap((number, index) => {
        const hash = hashes[index];
        return hash ? [{ deploymentId: id, number, hash }] : [];
      });
      if (rows.length > 0) {
        await database
          .insert(indexedBlock)
          .values(rows)
          .onConflictDoUpdate({
            target: [indexedBlock.deploymentId, indexedBlock.number],
            set: { hash: sql`excluded.hash` },
          });
      }
      remembered = head;
      if (head < forgetAt) return;
      await database
        .delete(indexedBlock)
        .where(and(ofDeployment, lt(indexedBlock.number, head - DEEPEST_REORG)));
      forgetAt = head + DEEPEST_REORG;
    },
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
