// Remembers the blocks that the indexer has reached, by which everybody tells a reorg from an indexer that went back.
import { openHighWaterMark } from "#core/db/high-water-mark.ts";
import type { Context } from "./context.ts";

export function createMarkKeeper({ database, client, deployment, reader }: Context): () => Promise<void> {
  const mark = openHighWaterMark(database, client, deployment);
  return async () => mark.remember((await reader.head()).block);
}
