// What a reading of the indexer's tables takes along, in its own snapshot, so that the guard can judge it (guard.ts).
import { eq, type SQL, sql } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import * as chain from "./chain.ts";
import { deployment } from "./schema.ts";

/** To be selected as `witness`, in a reading that `withWitness` has joined. */
export const witnessFields = {
  ready: sql<boolean>`coalesce((${chain.ponderMeta.value} ->> 'is_ready')::int = 1, false)`,
  build: sql<string | null>`${chain.indexerBuild.build}`,
  latestCheckpoint: sql<string | null>`${chain.ponderCheckpoint.latestCheckpoint}`,
  highWaterBlock: deployment.highWaterBlock,
};

/** The indexed head's block. */
export const indexedBlock = sql<number>`substr(${chain.ponderCheckpoint.latestCheckpoint}, 27, 16)::bigint`;

/** The indexed head's time, in Unix seconds: the chain's own, which every later block is past. */
export const indexedTime = sql<number>`substr(${chain.ponderCheckpoint.latestCheckpoint}, 1, 10)::bigint`;

/** The same as a value of its own, which an index can be searched for. */
export const selectIndexedTime = (chainId: number): SQL =>
  sql`(select ${indexedTime}::numeric from ${chain.ponderCheckpoint} where ${chain.ponderCheckpoint.chainId} = ${chainId})`;

/**
 * Joins what the witness is made of to a reading that has `deployment` in it. Its rows stay of the type that they are: a
 * reading names the fields that it selects, and these joins add none.
 */
export const withWitness = <T extends PgSelect>(reading: T): T =>
  reading
    .leftJoin(chain.ponderMeta, eq(chain.ponderMeta.key, "app"))
    .leftJoin(chain.indexerBuild, eq(chain.indexerBuild.id, "indexer"))
    .leftJoin(chain.ponderCheckpoint, eq(chain.ponderCheckpoint.chainId, deployment.chainId)) as unknown as T;
