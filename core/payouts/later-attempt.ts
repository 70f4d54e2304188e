// Whether a payout was retried. Only its latest attempt counts.
import { type SQL, sql } from "drizzle-orm";
import { alias, type PgColumn } from "drizzle-orm/pg-core";
import { payout } from "../db/schema/payouts.ts";

/** Whether a row of an alias is an attempt of the same part as the payout, or the payout itself. */
export const isOfSamePart = (
  other: Record<"intentId" | "settlementNumber" | "part", PgColumn>,
): SQL => sql`${other.intentId} = ${payout.intentId}
  and ${other.settlementNumber} = ${payout.settlementNumber} and ${other.part} = ${payout.part}`;

const later = alias(payout, "later");

/** Use only in `where`: in the selected fields of a query on a single table, drizzle would omit the table names. */
export const hasLaterAttempt: SQL = sql`exists (select from ${payout} later
  where ${isOfSamePart(later)} and ${later.attempt} > ${payout.attempt})`;
