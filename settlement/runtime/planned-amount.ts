// How much of a payment's settlements is covered by payouts.
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { payout } from "#core/db/schema/payouts.ts";

type AttemptColumns = Record<"amount" | "deducted" | "state", SQLWrapper>;

const planned = alias(payout, "planned");

/**
 * The funds that a payout pays, as an aggregate of its attempts (`rows`), in the token's smallest unit. Every attempt pays
 * the same funds, less the fees that the merchant bears, unless it was reduced to what the chain covers. An attempt that
 * was ended may have paid nevertheless.
 */
export const fundsOfAttempts = ({ amount, deducted, state }: AttemptColumns): SQL =>
  sql`coalesce(max(${amount} + ${deducted}) filter (where ${state} in ('submitted', 'completed')), min(${amount} + ${deducted}))`;

/** The sum of the funds of an intent's payouts. */
export const plannedAmount = (intentId: SQLWrapper): SQL =>
  sql`(select coalesce(sum(amount), 0) from (
    select ${fundsOfAttempts(planned)} as amount from ${payout} as planned where ${planned.intentId} = ${intentId}
    group by ${planned.settlementNumber}, ${planned.part}) parts)`;
