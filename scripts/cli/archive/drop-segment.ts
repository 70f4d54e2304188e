// Deletes exactly the rows of an archived segment from the database, a few seals at a time. Events are kept. Repeating
// the command resumes an interrupted run, because the segment is recorded before its first row is deleted.
import { and, desc, gte, lte } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { auditArchive, auditLog, auditSeal } from "#core/db/schema/audit-log.ts";
import { UserError } from "../../shared/errors.ts";
import { findArchivedSeals } from "./export-segment.ts";
import type { Segment } from "./manifest.ts";
import { verifySegment } from "./verify-segment.ts";

/**
 * Records an archived segment, so that the database allows its rows to be deleted. The database rejects a segment that
 * differs from what was sealed.
 */
export async function recordArchive(database: Database, segment: Segment): Promise<void> {
  await database.insert(auditArchive).values(segment);
}

/**
 * Deletes the remaining rows of recorded segments.
 * @param folder contains the segments' files; each file is verified before any of its rows is deleted
 * @returns the number of deleted rows
 * @throws UserError if a segment's file is missing or differs from the one that was recorded
 */
export async function dropArchived(database: Database, folder: string): Promise<number> {
  const [last] = await database.select().from(auditArchive).orderBy(desc(auditArchive.lastPosition)).limit(1);
  if (!last) return 0;
  let deleted = 0;
  const verified = new Set<number>();
  for (;;) {
    const seals = await findArchivedSeals(database, last.lastPosition);
    const [first, end] = [seals[0], seals.at(-1)];
    if (!first || !end) return deleted;
    const within = (position: typeof auditLog.position | typeof auditSeal.firstPosition) =>
      and(gte(position, first.firstPosition), lte(position, end.lastPosition));
    const segments = await database
      .select()
      .from(auditArchive)
      .where(
        and(
          gte(auditArchive.lastPosition, first.firstPosition),
          lte(auditArchive.firstPosition, end.lastPosition),
        ),
      );
    for (const segment of segments) {
      if (verified.has(segment.firstPosition)) continue;
      const { problem } = await verifySegment(folder, segment);
      if (problem)
        throw new UserError(
          `Nothing was deleted from ${segment.firstPosition} to ${segment.lastPosition}: ${problem}`,
        );
      verified.add(segment.firstPosition);
    }
    deleted += await database.transaction(async (tx) => {
      const { rowCount } = await tx.delete(auditLog).where(within(auditLog.position));
      await tx.delete(auditSeal).where(within(auditSeal.firstPosition));
      return rowCount ?? 0;
    });
  }
}
