// Comparisons of the ledger with the contract, the payouts and the provider (settlement/reconciliation).
import { sql } from "drizzle-orm";
import { bigint, boolean, index, jsonb } from "drizzle-orm/pg-core";
import { now } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

export const reconciliation = gatewaySchema.table(
  "reconciliation",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /**
     * The number of differences by kind; kinds without differences are absent. Null while the reconciliation is in
     * progress, or if it failed.
     */
    differences: jsonb().$type<Record<string, number>>(),
    /**
     * Whether the reconciliation covers every payment of the period, or only those that were open or ended recently.
     */
    full: boolean().notNull().default(true),
    createdAt: now(),
  },
  (t) => [
    index().on(t.createdAt),
    index("reconciliation_without_differences")
      .on(t.createdAt)
      .where(sql`${t.full} and ${t.differences} = '{}'`),
  ],
);
