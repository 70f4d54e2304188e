import { onchainTable } from "ponder";

/** An event, and nothing of what it means. */
export const row = onchainTable("row", (t) => ({
  id: t.text().primaryKey(),
  orderId: t.hex().notNull(),
  block: t.bigint().notNull(),
}));
