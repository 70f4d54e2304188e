import { onchainTable } from "ponder";

/** An event, without any interpretation. */
export const row = onchainTable("row", (t) => ({
  id: t.text().primaryKey(),
  orderId: t.hex().notNull(),
  block: t.bigint().notNull(),
}));
