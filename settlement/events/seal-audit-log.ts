// Seals what was appended to the audit log, within about a second, so that no request waits for another.
// A row may become visible after one with a higher position, when its transaction takes longer. So what one reading found is
// sealed by a later one: when every transaction that ran at the time of the first has ended, no row can appear at or below its
// highest position any more (a row's transaction has its number before the row has its position: core/db/schema/audit-log.ts).

import type { Context } from "../runtime/context.ts";
import { readTail, sealUpTo } from "./audit-hash-chain.ts";

/** @returns seals what the last run read, reads the end again, and returns whether another run is to seal what it read */
export function createSealer({ database }: Pick<Context, "database">): () => Promise<boolean> {
  let seen: { position: number; transaction: bigint } | undefined;
  let sealedTo = 0;
  return async () => {
    const { position, transaction, oldest } = await readTail(database, seen?.position ?? sealedTo);
    if (seen && oldest > seen.transaction) {
      const settled = seen.position;
      await database.transaction((tx) => sealUpTo(tx, settled));
      sealedTo = settled;
      seen = undefined;
    }
    if (transaction !== null) seen ??= { position, transaction };
    return seen !== undefined;
  };
}
