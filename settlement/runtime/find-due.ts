// Finds the workers that have due work with one statement per block, so that the other workers do not query the
// database.
import { eq, type SQL, sql } from "drizzle-orm";
import { deployment } from "#core/db/schema/deployments.ts";
import { joinIndexerSnapshot } from "#core/indexer-state/indexer-snapshot.ts";
import type { Context } from "./context.ts";

/**
 * @param conditions each worker's condition for due work. The conditions read `deployment` and the indexed head, and
 *   each uses an index of due rows
 * @returns a function that returns the names of the conditions that hold
 */
export function createDueFinder<Name extends string>(
  { reads, deployment: current }: Pick<Context, "reads" | "deployment">,
  conditions: Record<Name, SQL>,
): () => Promise<Name[]> {
  const names = Object.keys(conditions) as Name[];
  const query = joinIndexerSnapshot(
    reads
      .select({ due: sql<boolean[]>`array[${sql.join(Object.values<SQL>(conditions), sql`, `)}]` })
      .from(deployment)
      .$dynamic(),
  )
    .where(eq(deployment.id, current.id))
    .prepare("find_due");
  return async () => {
    const [row] = await query.execute();
    return names.filter((_, index) => row?.due[index]);
  };
}
