// Words by which a merchant finds a payment (core/search), from its description, metadata, payer and transaction.
import { primaryKey } from "drizzle-orm/pg-core";
import { bytewiseText, intentId, merchantKey, moment } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/**
 * Rows are written once. They are stored outside `intent`, because each update of an intent would also write to their
 * index. They are kept as long as the intent.
 */
export const searchTerm = gatewaySchema.table(
  "search_term",
  {
    merchantId: merchantKey().notNull(),
    term: bytewiseText().notNull(),
    /** When the intent was created. Among the intents that contain a word, the newest are read first. */
    createdAt: moment().notNull(),
    intentId: intentId().notNull(),
  },
  (t) => [primaryKey({ columns: [t.merchantId, t.term, t.createdAt, t.intentId] })],
);
