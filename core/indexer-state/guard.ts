// Decides whether the indexer's tables are current. A restarting indexer removes unfinalized rows while its old
// checkpoint stays. This must never be mistaken for a reorg.
import type { ChainClient } from "../chain/client.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/client.ts";
import type { Deployment } from "../deployment/deployment.ts";
import { serviceUnavailable } from "../errors.ts";
import { openHighWaterMark } from "./high-water-mark.ts";
import { nameIndexerBuild } from "./indexer-build.ts";

/** The indexer's state, read in the same database snapshot as the data that it applies to. */
export type IndexerSnapshot = {
  ready: boolean;
  build: string | null;
  latestCheckpoint: string | null;
  highWaterBlock: number;
};

export type Head = { block: number; timestamp: number };

/** Parses Ponder's checkpoint: timestamp (10 digits), chain (16), block (16), then the position in the block. */
export const parseHead = (checkpoint: string): Head => ({
  timestamp: Number(checkpoint.slice(0, 10)),
  block: Number(checkpoint.slice(26, 42)),
});

/** Maximum time by which one of several nodes behind a URL lags behind the others. A local chain has one node. */
const LAG_MS = 10_000;

const notReady = () => serviceUnavailable("The indexer is catching up with the blockchain.");

/**
 * @param remember whether the head is recorded before it is used. Must be false inside a transaction, which holds a
 * connection and would wait for another one
 */
export type IndexerGuard = (snapshot: IndexerSnapshot, remember?: boolean) => Promise<Head>;

type Sources = { database: Database; client: ChainClient; deployment: Deployment };

/** Creates the check for the tables of this code's indexer, on the network of the configuration. */
export const openIndexerGuard = ({ chain }: Pick<Config, "chain">, sources: Sources): IndexerGuard =>
  createIndexerGuard({
    ...sources,
    build: nameIndexerBuild(sources.deployment),
    lagMs: chain.simulated ? 0 : LAG_MS,
  });

/**
 * Creates the check for every read of the indexer's tables.
 * @param options `lagMs`: see openHighWaterMark
 * @returns a function that returns the indexed head, or throws a 503
 */
export function createIndexerGuard(options: Sources & { build: string; lagMs: number }): IndexerGuard {
  const { database, client, build } = options;
  const highWaterMark = openHighWaterMark(database, client, options.deployment, options.lagMs);

  return async (snapshot, remember = true) => {
    if (!snapshot.ready || snapshot.build !== build || snapshot.latestCheckpoint === null) throw notReady();
    const head = parseHead(snapshot.latestCheckpoint);
    const { highWaterBlock } = snapshot;
    if (head.block < highWaterBlock && !(await highWaterMark.lower(highWaterBlock, head.block)))
      throw notReady();
    if (remember && head.block > highWaterBlock) await highWaterMark.raise(head.block);
    return head;
  };
}
