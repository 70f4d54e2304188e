// How much of a payment's settlements is covered by payouts.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { payout } from "#core/db/schema/payouts.ts";

const first = alias(payout, "first");

/** The sum of the first attempts of an intent's payouts, in the token's smallest unit. A retry pays the same funds again. */
export const plannedAmount = (intentId: SQLWrapper): SQL =>
  sql`(select coalesce(sum(${first.amount}), 0) from ${payout} as first where ${first.intentId} = ${intentId} and ${first.attempt} = 1)`;
