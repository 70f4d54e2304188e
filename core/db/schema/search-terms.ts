// Words by which a merchant finds a payment (core/search): of its description and its metadata, payer and transaction.
import { primaryKey, text } from "drizzle-orm/pg-core";
import { bytewiseText, intentIdBytes, moment } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/** Rows are written once and lie outside `intent`, whose updates would write each of its indexes. They live as long as it. */
export const searchTerm = gatewaySchema.table(
  "search_term",
  {
    merchantId: text().notNull(),
    term: bytewiseText().notNull(),
    /** When the intent was created: of those that have a word, the newest are read first. */
    createdAt: moment().notNull(),
    intentId: intentIdBytes().notNull(),
  },
  (t) => [primaryKey({ columns: [t.merchantId, t.term, t.createdAt, t.intentId] })],
);
