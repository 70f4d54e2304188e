// Whether the indexer's tables may be believed right now. A restarting indexer takes unfinalised rows back while its
// old checkpoint stays: that must never look like a reorg (design, section 2).
import { and, eq, lt } from "drizzle-orm";
import { askChain, type ChainClient } from "../chain/client.ts";
import type { Deployment } from "../deployment.ts";
import { serviceUnavailable } from "../errors.ts";
import type { Database } from "./client.ts";
import { deployment } from "./schema.ts";

/** What a reading says of itself, taken in the snapshot of the reading. */
export type IndexerWitness = {
  ready: boolean;
  build: string | null;
  latestCheckpoint: string | null;
  highWaterBlock: number;
  highWaterHash: `0x${string}` | null;
};

export type Head = { block: number; timestamp: number };

/** Ponder's checkpoint: timestamp (10 digits), chain (16), block (16), then places inside the block. */
export const headOf = (checkpoint: string): Head => ({
  timestamp: Number(checkpoint.slice(0, 10)),
  block: Number(checkpoint.slice(26, 42)),
});

const notReady = () => serviceUnavailable("The indexer is catching up with the blockchain.");

/**
 * @param remember whether the head is recorded before it is used; not inside a transaction, which holds a connection
 * and would wait for another
 */
export type IndexerGuard = (witness: IndexerWitness, remember?: boolean) => Promise<Head>;

/**
 * Makes the check that every reading of the indexer's tables passes through.
 * @returns a function that gives the indexed head, or throws a 503
 */
export function createIndexerGuard(options: {
  database: Database;
  client: ChainClient;
  deployment: Deployment;
  build: string;
}): IndexerGuard {
  const { database, client, build } = options;
  const { id } = options.deployment;

  /** The mark's block is no longer on the chain: what lies below it is the new truth. */
  async function lowerMarkAfterReorg(witness: IndexerWitness, head: Head): Promise<boolean> {
    const { highWaterBlock, highWaterHash } = witness;
    const tip = await askChain(() => client.getBlockNumber({ cacheTime: 0 }));
    if (tip >= BigInt(highWaterBlock)) {
      // A mark without a hash proves nothing: the indexer will reach it, on whichever branch.
      if (highWaterHash === null) return false;
      const block = await askChain(() => client.getBlock({ blockNumber: BigInt(highWaterBlock) }));
      if (block.hash === highWaterHash) return false;
    }
    await database
      .update(deployment)
      .set({ highWaterBlock: head.block, highWaterHash: null })
      .where(and(eq(deployment.id, id), eq(deployment.highWaterBlock, highWaterBlock)));
    return true;
  }

  let raising: { block: number; done: Promise<unknown> } | undefined;

  /**
   * What an answer stands on must not be forgotten by the next: the mark is raised before the answer, by whoever reads
   * first. Its hash follows (raiseHighWaterMark). Readers of one block wait for one statement.
   */
  async function raiseMark(block: number): Promise<void> {
    if (raising && raising.block >= block) {
      await raising.done;
      return;
    }
    const mine = {
      block,
      done: database
        .update(deployment)
        .set({ highWaterBlock: block, highWaterHash: null })
        .where(and(eq(deployment.id, id), lt(deployment.highWaterBlock, block)))
        .execute(),
    };
    raising = mine;
    try {
      await mine.done;
    } finally {
      if (raising === mine) raising = undefined;
    }
  }

  return async (witness, remember = true) => {
    if (!witness.ready || witness.build !== build || witness.latestCheckpoint === null) throw notReady();
    const head = headOf(witness.latestCheckpoint);
    if (head.block < witness.highWaterBlock && !(await lowerMarkAfterReorg(witness, head))) throw notReady();
    if (remember && head.block > witness.highWaterBlock) await raiseMark(head.block);
    return head;
  };
}

/** Records the hash of the highest block that was read, so that a reorg is told from an indexer that lags. */
export async function raiseHighWaterMark(
  database: Database,
  client: ChainClient,
  deploymentId: string,
  head: Head,
): Promise<void> {
  const [current] = await database.select().from(deployment).where(eq(deployment.id, deploymentId));
  if (!current || head.block < current.highWaterBlock) return;
  if (head.block === current.highWaterBlock && current.highWaterHash !== null) return;
  const { hash } = await client.getBlock({ blockNumber: BigInt(head.block) });
  await database
    .update(deployment)
    .set({ highWaterBlock: head.block, highWaterHash: hash })
    .where(and(eq(deployment.id, deploymentId), eq(deployment.highWaterBlock, current.highWaterBlock)));
}
