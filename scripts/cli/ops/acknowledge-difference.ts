// Acknowledges a difference found by a reconciliation: it stays in the report but no longer triggers the alert.
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { reconciliationDifference } from "#core/db/schema/operations.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import type { Asked, Controlled } from "./approve.ts";

async function findDifference(database: Database, subject: string) {
  const id = /^[1-9]\d{0,8}$/.test(subject) ? Number(subject) : 0;
  const [row] = await database
    .select()
    .from(reconciliationDifference)
    .where(eq(reconciliationDifference.id, id));
  if (!row) throw new UsageError(`No such difference: '${subject}'. List them: npm run ops -- differences.`);
  if (row.acknowledgedBy !== null) {
    throw new UserError(`${row.acknowledgedBy} has already acknowledged difference ${id}.`);
  }
  return row;
}

function readReason({ arguments: { reason = "" } }: Asked): string {
  if (!/\S/.test(reason) || reason.length > 500)
    throw new UsageError("--reason must explain why, in up to 500 characters.");
  return reason.trim();
}

export const acknowledgeDifference: Controlled = {
  async weigh({ database }, asked) {
    readReason(asked);
    const { amount, currency } = await findDifference(database, asked.subject);
    return amount === null || currency === null ? null : { amount, currency };
  },

  async carryOut({ database }, asked, finish) {
    const { id } = await findDifference(database, asked.subject);
    await database.transaction(async (tx) => {
      const changed = await tx
        .update(reconciliationDifference)
        .set({
          ...{ acknowledgedBy: asked.by, acknowledgedAt: sql`clock_timestamp()`, reason: readReason(asked) },
        })
        .where(and(eq(reconciliationDifference.id, id), isNull(reconciliationDifference.acknowledgedBy)))
        .returning({ id: reconciliationDifference.id });
      if (changed.length === 0)
        throw new UserError(`Someone else has acknowledged difference ${id} in the meantime.`);
      await finish(tx);
    });
  },
};

/** Returns the differences found by reconciliations, oldest first. */
export const listDifferences = (database: Database) =>
  database.select().from(reconciliationDifference).orderBy(asc(reconciliationDifference.id));
