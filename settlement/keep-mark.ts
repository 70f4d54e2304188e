// Raises the high-water mark, by which everybody notices an indexer that has gone back.
import { raiseHighWaterMark } from "#core/db/guard.ts";
import type { Context } from "./context.ts";

export const createMarkKeeper =
  ({ database, client, deployment, reader }: Context) =>
  async (): Promise<void> =>
    raiseHighWaterMark(database, client, deployment.id, await reader.head());
