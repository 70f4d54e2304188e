// Inserts concurrently requested intents with one statement, each with its audit log entry and its search terms.
// Either all or none of them are stored, and only one commit is needed.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type AuditEntry, auditInsert } from "#core/audit/record-audit.ts";
import { intentIdText } from "#core/db/as-text.ts";
import { batched } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { insertMany } from "#core/db/insert-many.ts";
import { returned } from "#core/db/returned.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { IntentRow } from "#core/intent/read-intent.ts";
import { describedTerms } from "#core/search/derive-search-terms.ts";
import { insertSearchTermsOfNew } from "#core/search/write-search-terms.ts";

/** The initial values of an intent. The other columns have defaults. */
export type NewIntent = Omit<IntentRow, keyof typeof UNTOUCHED | "createdAt" | "updatedAt">;

type Item = { values: NewIntent; entry: AuditEntry };

export type InsertIntent = (item: Item) => Promise<IntentRow>;

/** The default values of a new row in the schema. */
const UNTOUCHED = {
  payer: null,
  signature: null,
  fundingMethod: null,
  signer: null,
  signedAt: null,
  canceledAt: null,
  lastEmittedStatus: "INITIATED",
  lastEmittedMerchantStatus: "AWAITING_PAYMENT",
  endedAs: null,
  endedAt: null,
  escrowEmitted: null,
} as const;

const insertNew = insertMany(intent, [
  "id",
  "deploymentId",
  "merchantId",
  "mode",
  "type",
  "amount",
  "currency",
  "description",
  "settlementMethod",
  "settlementDestination",
  "estimatedFee",
  "estimatedDeliveryTime",
  "terms",
  "metadata",
  "returnUrl",
  "cancelUrl",
]);

/** The rows that the statement inserts. */
const made = alias(intent, "made");

type Made = { id: string; createdAt: string; updatedAt: string };

/** An intent takes about a hundred pages, and a statement should read at most 2,000. */
const LARGEST = 16;

export function createIntentInserter(database: Database): InsertIntent {
  const insert = batched(
    async (items: Item[]) => {
      const { rows } = await database.execute<Made>(sql`
        with entered as (${auditInsert(items.map(({ entry }) => entry))}),
          made as (${insertNew(items.map(({ values }) => values))}
            returning ${intent.id}, ${intent.merchantId}, ${intent.createdAt}, ${intent.updatedAt}),
          found_by as (${insertSearchTermsOfNew(items.map(({ values }) => ({ id: values.id, terms: describedTerms(values) })))})
        select ${intentIdText(made.id)} as id, ${made.createdAt} as "createdAt", ${made.updatedAt} as "updatedAt" from made`);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return items.flatMap((item) => {
        const row = byId.get(item.values.id);
        return row ? [{ item, row }] : [];
      });
    },
    ({ item }) => item,
    { largest: LARGEST },
  );
  return async (item) => {
    const { row } = returned([await insert(item)]);
    return {
      ...item.values,
      ...UNTOUCHED,
      createdAt: intent.createdAt.mapFromDriverValue(row.createdAt) as Date,
      updatedAt: intent.updatedAt.mapFromDriverValue(row.updatedAt) as Date,
    };
  };
}
