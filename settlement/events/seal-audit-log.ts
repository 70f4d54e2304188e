// Seals new rows of the audit log within about two seconds, so that no request waits for another.
// A row may become visible after a row with a higher position if its transaction takes longer. Therefore a later run
// seals the rows that an earlier run has read: once every transaction that was running during the earlier run has
// ended, no row can appear at or below its highest position any more (a transaction gets its id before its row gets its
// position: core/db/schema/audit-position.ts).
import type { Context } from "../runtime/context.ts";
import { readTail, sealUpTo } from "./audit-hash-chain.ts";

type Seen = { position: number; transaction: bigint };

/**
 * Returns a function that, in one transaction, seals the rows that an earlier run has read, and reads the end of the
 * log.
 */
export function createSealer({ database }: Pick<Context, "database">): () => Promise<void> {
  let seen: Seen | undefined;
  let sealedTo = 0;
  return async () => {
    const before = seen;
    const { isSettled, tail } = await database.transaction(async (tx) => {
      const tail = await readTail(tx, before?.position ?? sealedTo);
      const isSettled = before !== undefined && tail.oldest > before.transaction;
      if (isSettled) await sealUpTo(tx, before.position);
      return { isSettled, tail };
    });
    if (before && isSettled) {
      sealedTo = before.position;
      seen = undefined;
    }
    const { position, transaction } = tail;
    if (transaction !== null) seen ??= { position, transaction };
  };
}
