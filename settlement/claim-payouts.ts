// Takes payouts up: those that are due and that nobody has in hand. The lease is committed before anybody is called.
import { and, eq, lte, sql } from "drizzle-orm";
import type { Address } from "viem";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/payout-schema.ts";
import { intent, merchant } from "#core/db/schema.ts";
import { dueAt } from "#core/payouts/due-now.ts";
import { SETTLEMENT_METHODS } from "#core/settlement-methods.ts";
import type { OffRamps } from "./offramp/off-ramp.ts";

/** What a worker needs to know of a payout that it has in hand. */
export type ClaimedPayout = Awaited<ReturnType<ReturnType<typeof createPayoutClaim>>>[number];

const CLAIMED = {
  id: payout.id,
  state: payout.state,
  reference: payout.reference,
  providerId: payout.providerId,
  account: payout.account,
  method: payout.method,
  destination: payout.destination,
  amount: payout.amount,
  currency: payout.currency,
  fee: payout.fee,
  failure: payout.failure,
  createdAt: payout.createdAt,
  completedAt: payout.completedAt,
  finalAt: payout.finalAt,
  /** The lease's token: whole milliseconds, which come back unchanged and can be compared. */
  leasedUntil: sql<Date>`${payout.leasedUntil}`.mapWith(payout.leasedUntil),
  intentId: payout.intentId,
  settlementId: payout.settlementId,
  settlementTxHash: payout.settlementTxHash,
  settledAt: payout.settledAt,
  settlementAmount: payout.settlementAmount,
  deploymentId: intent.deploymentId,
  token: sql<Address>`${intent.terms} ->> 'token'`,
  /** Whose account the money goes to. */
  beneficiary: merchant.name,
};

/** The account of a payout that has none yet: the one that is configured for its method. */
function chooseAccount(offRamps: OffRamps) {
  const cases = SETTLEMENT_METHODS.flatMap((method) => {
    const offRamp = offRamps(method);
    return offRamp ? [sql`when ${payout.method} = ${method} then ${offRamp.account}::text`] : [];
  });
  return cases.length === 0
    ? sql`${payout.account}`
    : sql`coalesce(${payout.account}, case ${sql.join(cases, sql` `)} end)`;
}

/**
 * Makes the claim. With it a payout comes to belong to an account: before that account's provider is called for it.
 * @param leaseMs for how long nobody else takes them up
 * @returns takes those of these that can be taken up
 */
export function createPayoutClaim(database: Database, offRamps: OffRamps, leaseMs: number) {
  const query = database
    .update(payout)
    .set({
      leasedUntil: sql`date_trunc('milliseconds', clock_timestamp() + ${leaseMs} * interval '1 ms')`,
      account: chooseAccount(offRamps),
    })
    .from(intent)
    .innerJoin(merchant, eq(merchant.id, intent.merchantId))
    .where(
      and(
        sql`${payout.id} = any(${sql.placeholder("ids")}::text[])`,
        eq(intent.id, payout.intentId),
        lte(dueAt, sql`statement_timestamp()`),
      ),
    )
    .returning(CLAIMED)
    .prepare("claim_payouts");
  return (ids: string[]) => query.execute({ ids });
}
