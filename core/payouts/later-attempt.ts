// Whether a payout was retried. Only its latest attempt counts.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { payout } from "../db/schema/payouts.ts";

const later = alias(payout, "later");

/** Use only in `where`: in the selected fields of a query on a single table, drizzle would omit the table names. */
export const hasLaterAttempt: SQL = sql`exists (select from ${payout} later
  where ${later.intentId} = ${payout.intentId} and ${later.settlementNumber} = ${payout.settlementNumber}
    and ${later.part} = ${payout.part} and ${later.attempt} > ${payout.attempt})`;
