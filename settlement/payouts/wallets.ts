// Reads the off-ramp's wallets: their balances on chain, and the payouts that are paid from them.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Address, erc20Abi } from "viem";
import { askChain } from "#core/chain/client.ts";
import { hexText, idText, termsAddress } from "#core/db/as-text.ts";
import { order, settlement } from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { offRampBalance, offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { isCurrent } from "#core/deployment/is-current.ts";
import { isOfSamePart } from "#core/payouts/later-attempt.ts";
import { asError } from "../runtime/as-error.ts";
import type { Context } from "../runtime/context.ts";
import { groupParts, p } from "./payment-parts.ts";
import type { WalletToken } from "./wallet-token.ts";

export type Sources = Pick<Context, "database" | "client">;

/** A wallet with open payouts. Addresses are in lower case, amounts in the token's smallest unit. */
export type Wallet = WalletToken & {
  /** Amount needed for payouts that are to be ordered for the first time. */
  need: bigint;
  /**
   * Amount allocated to payouts that are ordered or about to be, whose funds have not left the wallet as far as the
   * provider reports.
   */
  allocated: bigint;
  /** The balance, read after `need` and `allocated`, or the error if it cannot be read. */
  balance: bigint | Error;
  /** The stored balance (`off_ramp_balance`) that this read replaces, as it was at the time of the read. */
  stored: { allocated: bigint; revision: number };
};

const paidFrom = alias(offRampWallet, "paid_from");

/** The wallet to which a payout was settled. */
export const SETTLED_TO = sql`coalesce(${hexText(settlement.offRamp)}, ${termsAddress(intent.terms, "offRamp")})`;

const earlier = alias(payout, "earlier");

/**
 * For a retry without a wallet yet, the wallet of the latest attempt that had one: it paid that attempt, so the funds return
 * to it, or an operator transferred them there to move the attempt. Null if it is the wallet that received the settlement.
 */
export const RETURNED_TO = sql<Address | null>`case when ${payout.attempt} > 1 and ${payout.wallet} is null then (
  select ${paidFrom.address} from (
    select ${earlier.account}, ${earlier.wallet} from ${payout} earlier
    where ${isOfSamePart(earlier)} and ${earlier.attempt} < ${payout.attempt} and ${earlier.wallet} is not null
    order by ${earlier.attempt} desc limit 1) latest
  join ${offRampWallet} paid_from on ${paidFrom.account} = latest.account and ${paidFrom.walletId} = latest.wallet) end`;

/**
 * The token and the wallet that pay a payout, in lower case. An operator may have moved the payout to another account's
 * wallet. A retry without an account yet is paid from the wallet to which its funds return.
 */
export const TOKEN = termsAddress(intent.terms, "token");
export const PAYS_FROM = sql`lower(coalesce(${offRampWallet.address}, ${RETURNED_TO}, ${SETTLED_TO}))`;

/** Payouts with their wallets. */
export const PLACED = sql`${payout}
  join ${intent} on ${intent.id} = ${payout.intentId}
  join ${deployment} on ${isCurrent(intent.deploymentId)}
  left join ${settlement} on ${settlement.orderId} = ${payout.intentId} and ${settlement.number} = ${payout.settlementNumber}
  left join ${offRampWallet} on ${offRampWallet.account} = ${payout.account} and ${offRampWallet.walletId} = ${payout.wallet}
    and lower(${offRampWallet.address}) <> lower(${SETTLED_TO})`;

/** Payouts whose funds may be in a wallet, with the same condition as their partial index. */
export const IS_OPEN = sql`(${payout.state} in ('created', 'quarantined') or ${payout.awaitsFunds})`;

const IS_ALLOCATED = sql`(${payout.allocated} or ${payout.awaitsFunds})`;

/**
 * Joins `coverage.uncovered` to the payouts that match a condition: how much of each the payment's settlements do not
 * cover, because a deep reorg has removed them (check-coverage.ts). They cover the payouts that may have been paid, and
 * then the others in order. It is null for payments whose attempts together do not exceed what is settled, which is
 * much faster to compute.
 */
export const withCoverage = (where: SQL): SQL => sql`left join (
    select g.intent, g.number, g.part, greatest(0, least(g.amount,
      sum(g.amount) over earlier + coalesce(sum(g.amount) filter (where g."mayBePaid") over (partition by g.intent), 0)
      - coalesce(sum(g.amount) filter (where g."mayBePaid") over earlier, 0) - exceeding.settled)) as uncovered
    from (
      select ${p.intentId} as intent, coalesce(min(${order.settled}), 0) as settled
      from ${payout} p left join ${order} on ${order.id} = ${p.intentId}
      where ${p.intentId} in (select ${payout.intentId} from ${payout} where ${where})
      group by ${p.intentId} having sum(${p.amount}) > coalesce(min(${order.settled}), 0)) exceeding
    cross join lateral (${groupParts(sql`${p.intentId} = exceeding.intent`)}) g
    window earlier as (partition by g.intent order by g.number, g.part)
  ) coverage on coverage.intent = ${payout.intentId} and coverage.number = ${payout.settlementNumber} and coverage.part = ${payout.part}`;

/** The amount that a payout needs (`withCoverage`). It is allocated in full before the payout is ordered. */
export const NEEDED = sql`case when ${IS_ALLOCATED} then ${payout.amount} else greatest(0, ${payout.amount} - coalesce(coverage.uncovered, 0)) end`;

/**
 * Payouts to be ordered for the first time, whose funds have arrived with the settlement. A retry has its own funds or
 * waits.
 */
const WAITS = sql`not ${IS_ALLOCATED} and ${payout.attempt} = 1 and ${payout.nextAttemptAt} is not null
  and ${payout.providerId} is null`;

const loadBalance = ({ client }: Sources, { token, offRamp }: WalletToken): Promise<bigint | Error> =>
  askChain(() =>
    client.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [offRamp] }),
  ).catch(asError);

/** Maximum number of payouts that get funds between two reads of a wallet with insufficient funds. */
const OLDEST = 2_000;

/** Returns every wallet with open payouts. */
export async function readWallets(sources: Sources): Promise<Wallet[]> {
  type Row = { token: Address; offRamp: Address } & Record<"need" | "allocated" | "stored", string> & {
      revision: number;
    };
  const sum = (filter: SQL) => sql`coalesce(sum(${NEEDED}) filter (where ${filter}), 0)::text`;
  const { rows } = await sources.database.execute<Row>(sql`
    select found.*, coalesce(${offRampBalance.allocated}, 0)::text as stored, coalesce(${offRampBalance.revision}, 0) as revision
    from (
      select ${TOKEN} as token, ${PAYS_FROM} as "offRamp", ${sum(WAITS)} as need, ${sum(IS_ALLOCATED)} as allocated
      from ${PLACED} ${withCoverage(IS_OPEN)} where ${IS_OPEN} group by 1, 2) found
    left join ${offRampBalance} on ${offRampBalance.token} = found.token and ${offRampBalance.wallet} = found."offRamp"`);
  return Promise.all(
    rows.map(async ({ token, offRamp, need, allocated, stored, revision }) => ({
      ...{ token, offRamp, need: BigInt(need), allocated: BigInt(allocated) },
      stored: { allocated: BigInt(stored), revision },
      balance: await loadBalance(sources, { token, offRamp }),
    })),
  );
}

/**
 * Returns the amount that a wallet lacks; 0 if it lacks none, or if the balance is unknown. Allocated funds do not
 * count, because they may have left the wallet already.
 */
export const computeLack = ({ need, balance }: Wallet): bigint =>
  balance instanceof Error || need <= balance ? 0n : need - balance;

/** When a payout can be paid. `soon`: the wallet holds enough, but some of it is allocated. `later`: it lacks funds. */
export type Turn = "now" | "soon" | "later";

/** A payout's position in the order in which payouts get funds. */
export type Age = { settledAt: Date; id: string };

/** Whether `a` is not newer than `b`. Ids are compared as text: their digits have the same order in every collation. */
export const isNotNewer = (a: Age, b: Age): boolean =>
  a.settledAt.getTime() === b.settledAt.getTime() ? a.id <= b.id : a.settledAt < b.settledAt;

/**
 * Returns the newest payout, among those that wait or those with allocated funds, that an amount can pay together with
 * all older ones; undefined if it can pay none.
 */
export async function findNewestFunded(
  { database }: Sources,
  { token, offRamp }: Wallet,
  { among, amount }: { among: "waiting" | "allocated"; amount: bigint },
): Promise<Age | undefined> {
  if (amount <= 0n) return;
  const order = sql`${payout.settledAt}, ${payout.id}`;
  const { rows } = await database.execute<{ id: string; settledAt: string }>(sql`
    select ${idText("payout", sql`id`)} as id, "settledAt"::text from (
      select id, "settledAt", sum(amount) over (order by "settledAt", id) as needed
      from (
        select ${payout.id} as id, ${payout.settledAt} as "settledAt", ${NEEDED} as amount
        from ${PLACED} ${withCoverage(IS_OPEN)}
        where ${IS_OPEN} and ${among === "waiting" ? WAITS : IS_ALLOCATED} and ${TOKEN} = ${token} and ${PAYS_FROM} = ${offRamp}
        order by ${order} limit ${OLDEST}) oldest) found
    where needed <= ${amount.toString()}::numeric order by needed desc limit 1`);
  const [row] = rows;
  return row && { id: row.id, settledAt: new Date(row.settledAt) };
}
