// The indexer's state in the same database snapshot as a read of its tables, for the guard (guard.ts).
import { eq, type SQL, sql } from "drizzle-orm";
import type { PgSelect } from "drizzle-orm/pg-core";
import * as chain from "../db/chain.ts";
import { deployment } from "../db/schema/deployments.ts";

/** Fields that are selected as `snapshot` in a query extended by `joinIndexerSnapshot`. */
export const indexerSnapshotFields = {
  ready: sql<boolean>`coalesce((${chain.ponderMeta.value} ->> 'is_ready')::int = 1, false)`,
  build: sql<string | null>`${chain.indexerBuild.build}`,
  latestCheckpoint: sql<string | null>`${chain.ponderCheckpoint.latestCheckpoint}`,
  highWaterBlock: deployment.highWaterBlock,
};

/** The indexed head's block number. */
export const indexedBlock = sql<number>`substr(${chain.ponderCheckpoint.latestCheckpoint}, 27, 16)::bigint`;

/** The indexed head's time by the chain's clock, in Unix seconds. */
export const indexedTime = sql<number>`substr(${chain.ponderCheckpoint.latestCheckpoint}, 1, 10)::bigint`;

/** The indexed head's time as a scalar subquery, so that it can be used as an index condition. */
export const selectIndexedTime = (chainId: number): SQL =>
  sql`(select ${indexedTime}::numeric from ${chain.ponderCheckpoint} where ${chain.ponderCheckpoint.chainId} = ${chainId})`;

/**
 * Joins the indexer's own tables to a query that contains `deployment`. The row type does not change, because a query
 * names the fields that it selects, and these joins add none.
 */
export const joinIndexerSnapshot = <T extends PgSelect>(query: T): T =>
  query
    .leftJoin(chain.ponderMeta, eq(chain.ponderMeta.key, "app"))
    .leftJoin(chain.indexerBuild, eq(chain.indexerBuild.id, "indexer"))
    .leftJoin(chain.ponderCheckpoint, eq(chain.ponderCheckpoint.chainId, deployment.chainId)) as unknown as T;
