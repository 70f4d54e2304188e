// Claims payouts that are due and unclaimed. The lease is committed before a provider is called.
import { and, eq, lte, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Address } from "viem";
import { SETTLE_EXTERNALLY } from "#core/controls/operations.ts";
import type { Database } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import { type OffRampAccountState, offRampAccount, offRampWallet } from "#core/db/schema/off-ramp.ts";
import { operation } from "#core/db/schema/operations.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { SETTLEMENT_METHODS } from "#core/off-ramp/settlement-methods.ts";
import { dueAt } from "#core/payouts/due-now.ts";
import { listOffRamps } from "../offramp/accounts.ts";
import type { OffRamps } from "../offramp/off-ramp.ts";

/** The facts about a claimed payout that a worker needs. */
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
  /** The lease's token, with millisecond precision, so that it survives a round trip and can be compared. */
  leasedUntil: sql<Date>`${payout.leasedUntil}`.mapWith(payout.leasedUntil),
  intentId: payout.intentId,
  settlementId: payout.settlementId,
  settlementTxHash: payout.settlementTxHash,
  settledAt: payout.settledAt,
  settlementAmount: payout.settlementAmount,
  deploymentId: intent.deploymentId,
  token: sql<Address>`${intent.terms} ->> 'token'`,
  settledTo: sql<Address>`${intent.terms} ->> 'offRamp'`,
  /** The provider's id of the wallet that pays it; null if the account pays from none. */
  wallet: payout.wallet,
  /** The address of that wallet. */
  walletAddress: sql<Address | null>`(select ${offRampWallet.address} from ${offRampWallet}
    where ${offRampWallet.account} = ${payout.account} and ${offRampWallet.walletId} = ${payout.wallet})`,
  calledAt: payout.calledAt,
  accountState: sql<OffRampAccountState | null>`(select ${offRampAccount.state} from ${offRampAccount} where ${offRampAccount.account} = ${payout.account})`,
  /** The owner of the destination account. */
  beneficiary: merchant.name,
};

/** The wallet of a payout's account that received the settlement. */
const settledWallet = sql`(select ${offRampWallet.walletId} from ${offRampWallet}
  where ${offRampWallet.account} = ${payout.account} and lower(${offRampWallet.address}) = lower(${intent.terms} ->> 'offRamp'))`;

/** The target of an UPDATE cannot be referenced in its FROM clause, so this is the same row again. */
const candidate = alias(payout, "candidate");

/** The accounts' limits as SQL; null for no bound. */
function listRoutes(offRamps: OffRamps) {
  return listOffRamps(offRamps).flatMap(({ account, hasWallets, routes }, rank) =>
    routes
      ? routes.map((route) => ({ ...route, account, hasWallets, rank }))
      : SETTLEMENT_METHODS.filter((method) => offRamps(method)?.account === account).map((method) => ({
          ...{ account, method, currency: null, least: null, most: null, hasWallets, rank },
        })),
  );
}

/**
 * Selects account and wallet for a payout (`candidate`) that has none yet: the account serves its method, currency and
 * amount, is neither drained nor removed, and has the wallet that received the settlement. Responsive accounts come
 * first, then configuration order. A payout without such an account stays unassigned.
 */
function createChoice(offRamps: OffRamps): SQL {
  const routes = JSON.stringify(listRoutes(offRamps));
  return sql`lateral (select route.account, ${offRampWallet.walletId} as wallet
    from json_to_recordset(${routes}::json) as route (account text, method text, currency text, least numeric,
      most numeric, "hasWallets" boolean, rank int)
    left join ${offRampAccount} on ${offRampAccount.account} = route.account
    left join ${offRampWallet} on route."hasWallets" and ${offRampWallet.account} = route.account
      and lower(${offRampWallet.address}) = lower(${intent.terms} ->> 'offRamp')
    where ${candidate.account} is null and route.method = ${candidate.method}
      and coalesce(route.currency = ${candidate.currency}, true)
      and coalesce(${candidate.amount} >= route.least, true) and coalesce(${candidate.amount} <= route.most, true)
      and coalesce(${offRampAccount.state}, 'active') = 'active'
      and (not route."hasWallets" or ${offRampWallet.walletId} is not null)
    order by ${offRampAccount.failingSince} is not null, route.rank limit 1) chosen`;
}

/**
 * Creates the claim, which assigns a payout to an account before that account's provider is called for it.
 * @param leaseMs how long no other worker can claim them
 * @returns claims those payouts that can be claimed
 */
export function createPayoutClaim(database: Database, offRamps: OffRamps, leaseMs: number) {
  const query = database
    .update(payout)
    .set({
      leasedUntil: sql`date_trunc('milliseconds', clock_timestamp() + ${leaseMs} * interval '1 ms')`,
      account: sql`coalesce(${payout.account}, chosen.account)`,
      wallet: sql`coalesce(${payout.wallet}, case when ${payout.account} is null
        then chosen.wallet else ${settledWallet} end)`,
    })
    .from(intent)
    .innerJoin(merchant, eq(merchant.id, intent.merchantId))
    .innerJoin(candidate, sql`true`)
    .leftJoin(createChoice(offRamps), sql`true`)
    .where(
      and(
        sql`${payout.id} = any(${sql.placeholder("ids")}::text[])`,
        eq(candidate.id, payout.id),
        eq(candidate.merchantId, payout.merchantId),
        eq(intent.id, payout.intentId),
        lte(dueAt, sql`statement_timestamp()`),
        // A payout that an operator has paid outside the gateway is not paid while a second person decides about it.
        sql`not exists (select from ${operation} where ${operation.subject} = ${payout.id}
          and ${operation.action} = ${SETTLE_EXTERNALLY} and ${operation.outcome} is null)`,
      ),
    )
    .returning(CLAIMED)
    .prepare("claim_payouts");
  return (ids: string[]) => query.execute({ ids });
}
