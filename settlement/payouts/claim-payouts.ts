// Takes payouts up: those that are due and that nobody has in hand. The lease is committed before anybody is called.
import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import type { Address } from "viem";
import type { Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueAt } from "#core/payouts/due-now.ts";
import { SETTLEMENT_METHODS } from "#core/settlement-methods.ts";
import type { OffRamps } from "../offramp/off-ramp.ts";

/** The wallet of an account that got a payout's settlement: funds reach the address in the order's terms and no other. */
const settledWallet = (account: SQL) =>
  sql`${offRampWallet} where ${offRampWallet.account} = ${account} and lower(${offRampWallet.address}) = lower(${intent.terms} ->> 'offRamp')`;

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
  attempt: payout.attempt,
  merchantId: payout.merchantId,
  refunded: payout.refunded,
  gas: payout.gas,
  deliveredAmount: payout.deliveredAmount,
  deliveredCurrency: payout.deliveredCurrency,
  rate: payout.rate,
  admittedAt: payout.admittedAt,
  heldSince: payout.heldSince,
  approvedBy: payout.approvedBy,
  failure: payout.failure,
  declinedCalls: payout.declinedCalls,
  spentCall: payout.spentCall,
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
  settledTo: sql<Address>`${intent.terms} ->> 'offRamp'`,
  /** The provider's id of the account's wallet with that address, if it has one. */
  wallet: sql<
    string | null
  >`(select ${offRampWallet.walletId} from ${settledWallet(sql`${payout.account}`)})`,
  /** Whose account the money goes to. */
  beneficiary: merchant.name,
};

/**
 * The account of a payout that has none yet: the one that is configured for its method, if it can pay from the wallet that
 * got the settlement. Otherwise it stays free for the account that can.
 */
function chooseAccount(offRamps: OffRamps) {
  const cases = SETTLEMENT_METHODS.flatMap((method) => {
    const offRamp = offRamps(method);
    if (!offRamp) return [];
    const account = sql`${offRamp.account}::text`;
    const chosen = offRamp.hasWallets
      ? sql`(select ${offRampWallet.account} from ${settledWallet(account)})`
      : account;
    return [sql`when ${payout.method} = ${method} then ${chosen}`];
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
