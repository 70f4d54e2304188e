// Writes new intents that are asked for at the same time in one transaction, each with its entry in the audit log: all are
// stored or none, and a commit is paid once.
import type { AuditEntry } from "#core/audit/record-audit.ts";
import { recordAudit } from "#core/audit/record-audit.ts";
import { batched } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import type { IntentRow } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema.ts";
import { internalError } from "#core/errors.ts";
import type { Envelope } from "./envelope.ts";

type NewIntent = {
  values: typeof intent.$inferInsert;
  answerOf(row: IntentRow): Envelope;
  entryOf(answer: Envelope): AuditEntry;
};

export type InsertIntent = (item: NewIntent) => Promise<Envelope>;

export function createIntentInserter(database: Database): InsertIntent {
  const insert = batched(
    (items: NewIntent[]) =>
      database.transaction(async (tx) => {
        const rows = await tx
          .insert(intent)
          .values(items.map(({ values }) => values))
          .returning();
        const byId = new Map(rows.map((row) => [row.id, row]));
        const made = items.flatMap((item) => {
          const row = byId.get(item.values.id);
          return row ? [{ item, answer: item.answerOf(row) }] : [];
        });
        await recordAudit(
          tx,
          made.map(({ item, answer }) => item.entryOf(answer)),
        );
        return made;
      }),
    ({ item }) => item,
  );
  return async (item) => {
    const made = await insert(item);
    if (!made) throw internalError(new Error("An insert returned no row."));
    return made.answer;
  };
}
