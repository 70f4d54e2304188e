// Checks whether a payout's next attempt has its own funds: a retry must not use funds that are owed to another payout.
// A wallet's balance belongs first to payouts that are ordered for the first time, to settlements without a payout, and
// to failed payouts without a retry. Then it belongs to the retries whose funds are not reported as still being returned,
// oldest settlement first. Any other retry needs a balance that covers all retries: the balance does not show whose funds
// have come back.
//
// A report changes this order, and so does a move to another wallet, while another worker may be ordering a retry by the
// earlier order. For longer than such a worker keeps its lease, the retry that the report or the move concerns therefore
// also needs a balance that covers all retries. Of two retries that are ordered at the same time, at least one has taken
// the other into account.
import { and, desc, eq, inArray, ne, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { type Address, erc20Abi } from "viem";
import { askChain } from "#core/chain/client.ts";
import { termsAddress } from "#core/db/as-text.ts";
import { order, ponderCheckpoint, settlement } from "#core/db/chain.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { offRampWallet } from "#core/db/schema/off-ramp.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { workItem } from "#core/db/schema/work.ts";
import type { IntentId } from "#core/ids.ts";
import {
  indexedBlock,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/indexer-state/indexer-snapshot.ts";
import { isOfSamePart } from "#core/payouts/later-attempt.ts";
import type { OffRamp } from "../off-ramp/off-ramp.ts";
import type { Context } from "../runtime/context.ts";
import { plannedAmount } from "../runtime/planned-amount.ts";
import type { WalletToken } from "./wallet-token.ts";
import { IS_OPEN, NEEDED, PAYS_FROM, PLACED, SETTLED_TO, TOKEN, type Turn, withCoverage } from "./wallets.ts";

type Sources = Pick<Context, "database" | "client" | "guard">;

export type Retry = {
  id: string;
  intentId: IntentId;
  attempt: number;
  amount: bigint;
};

type Claims = {
  /** Payouts to be ordered for the first time, and settlements without a payout. */
  first: string;
  /** Failed and returned payouts without a retry whose funds may be in the wallet. */
  kept: string;
  /** Failed and returned payouts without a retry whose funds are reported as still being returned. */
  coming: string;
  /**
   * Retries that precede this one or are about to be ordered, and recently ordered retries, whose funds may not have left
   * the wallet yet. If this one's position is not certain, all other retries precede it.
   */
  retries: string;
  /** Ordered payouts whose funds the provider has not taken yet, as far as it reports. */
  awaited: string;
  /** Whether the provider has reported that the funds of this retry are still being returned. */
  isComing: boolean;
  /** Whether the provider's latest report about this retry's funds, or its move, is so recent that another worker may not know it. */
  isNew: boolean;
  /** The indexed head. */
  block: string;
};

/** Time within which a transfer's funds leave the wallet. */
const LEAVES = sql`interval '1 minute'`;

/** Time after which no worker still orders a retry by an earlier report. Longer than a worker's lease (pay-out.ts). */
const KNOWN = sql`interval '30 seconds'`;

const previous = alias(payout, "previous");

const OF_SAME_PART = isOfSamePart(previous);

/**
 * An ended attempt of the same part that a provider had accepted, so that its funds may have left the wallet. Any other attempt
 * has not used the funds that come back from an earlier one.
 */
const HAS_ENDED = sql`${OF_SAME_PART} and ${previous.attempt} <= ${payout.attempt}
  and ${previous.providerId} is not null and ${previous.state} in ('failed', 'returned')`;

/** Whether another wallet paid the attempt than pays the payout. */
const IS_MOVED = sql`${previous.wallet} is not null and ${PAYS_FROM} <> lower(coalesce(
  (select ${offRampWallet.address} from ${offRampWallet}
    where ${offRampWallet.account} = ${previous.account} and ${offRampWallet.walletId} = ${previous.wallet}), ${SETTLED_TO}))`;

/**
 * Whether a payout's funds are still being returned to the wallet that pays it, as far as the provider of the latest of
 * these attempts reports; it may be the payout itself. Operators transfer funds to another wallet before they move the
 * payout to it.
 */
const IS_COMING = sql`(${payout.attempt} > 1 or ${payout.state} in ('failed', 'returned'))
  and coalesce((select ${previous.refunded} is false and not (${IS_MOVED})
    from ${payout} previous where ${HAS_ENDED} order by ${previous.attempt} desc limit 1), false)`;

/** `updatedAt` of an earlier attempt is the time of the provider's latest report, or of a move (`noteMove`). */
const IS_NEW = sql`exists (select from ${payout} previous where ${OF_SAME_PART}
  and ${previous.attempt} < ${payout.attempt} and ${previous.updatedAt} > clock_timestamp() - ${KNOWN})`;

/** Payouts whose funds may be in a wallet, or are coming back to it and wait for a retry. */
const IS_UNPAID = sql`(${IS_OPEN} or ${payout.state} in ('failed', 'returned') and not ${payout.retried})`;

const claimsOn = ({ token, offRamp }: WalletToken, { id, intentId }: Retry) => sql`
  with here as (select ${offRamp.toLowerCase()}::text as wallet, ${token.toLowerCase()}::text as token),
  unpaid as (
    select ${NEEDED} as amount, ${payout.fee} as fee, ${payout.state} as state,
      ${payout.attempt} as attempt, ${payout.id} as id, ${payout.settledAt} as settled, ${IS_COMING} as coming,
      ${payout.providerId} is null as unordered, ${payout.allocated} as allocated, ${payout.awaitsFunds} as awaited
    from ${PLACED} ${withCoverage(IS_UNPAID)} join here on ${PAYS_FROM} = here.wallet and ${TOKEN} = here.token
    where ${ne(payout.id, id)} and ${IS_UNPAID}),
  unplanned as (
    select greatest(0, ${order.settled} - ${plannedAmount(intent.id)}) as amount from ${deployment}
    join lateral (
      select ${workItem.orderId} from ${workItem}
      where ${workItem.deploymentId} = ${deployment.id} and ${workItem.purpose} = 'plan_payouts'
      union
      select ${settlement.orderId} from ${settlement} where ${settlement.block} > ${deployment.trackedBlock}) o (id) on true
    join ${order} on ${order.id} = o.id
    join ${intent} on ${intent.id} = ${order.id}
    join here on ${termsAddress(intent.terms, "offRamp")} = here.wallet and ${TOKEN} = here.token
    where ${deployment.current}),
  ordered as (
    select ${payout.amount} as amount from ${PLACED} join here on ${PAYS_FROM} = here.wallet and ${TOKEN} = here.token
    where ${payout.attempt} > 1 and ${payout.updatedAt} > clock_timestamp() - ${LEAVES}
      and ${payout.state} in ('submitted', 'completed') and not ${payout.awaitsFunds} and ${payout.externalReference} is null),
  mine as (
    select ${payout.id} as id, ${payout.settledAt} as settled, ${IS_COMING} as coming, ${IS_NEW} as new
    from ${PLACED} where ${and(eq(payout.id, id), eq(payout.intentId, intentId))})
  select
    ((select coalesce(sum(amount), 0) from unpaid where attempt = 1 and state in ('created', 'quarantined') and unordered)
      + (select coalesce(sum(amount), 0) from unplanned))::text as first,
    (select coalesce(sum(greatest(0, amount - fee)), 0) from unpaid where state in ('failed', 'returned') and not coming)::text as kept,
    (select coalesce(sum(greatest(0, amount - fee)), 0) from unpaid where state in ('failed', 'returned') and coming)::text as coming,
    ((select coalesce(sum(amount), 0) from unpaid where attempt > 1 and state in ('created', 'quarantined') and unordered
        and (allocated or (select coming or new from mine) or (coming, settled, id) < (select coming, settled, id from mine)))
      + (select coalesce(sum(amount), 0) from ordered))::text as retries,
    (select coalesce(sum(amount), 0) from unpaid where awaited)::text as awaited,
    (select coming from mine) as "isComing",
    (select new from mine) as "isNew",
    (select ${indexedBlock} from ${ponderCheckpoint}
      join ${deployment} on ${deployment.chainId} = ${ponderCheckpoint.chainId} and ${deployment.current})::text as block`;

/**
 * Reads the wallet's balance now and at the block up to which the database knows settlements, and returns the smaller
 * one.
 */
async function readBalance(
  client: Sources["client"],
  { token, offRamp }: WalletToken,
  block: bigint,
): Promise<bigint> {
  const read = (blockNumber?: bigint) =>
    askChain(() =>
      client.readContract({
        ...{ address: token as Address, abi: erc20Abi, functionName: "balanceOf", args: [offRamp] },
        ...(blockNumber === undefined ? {} : { blockNumber }),
      }),
    );
  const [now, then] = await Promise.all([read(), read(block)]);
  // biome-ignore lint/complexity/useMathMinMax: not for bigint
  return now < then ? now : then;
}

/** Returns when a retry can be ordered without using the funds of another payout. */
export async function findRetryTurn(
  { database, client, guard }: Sources,
  retry: Retry,
  place: WalletToken,
): Promise<Turn> {
  const [row] = await joinIndexerSnapshot(
    database
      .select({
        snapshot: indexerSnapshotFields,
        claims: sql<Claims>`(select to_json(c) from (${claimsOn(place, retry)}) c)`,
      })
      .from(deployment)
      .$dynamic(),
  ).where(eq(deployment.current, true));
  if (!row) throw new Error("The query for the claims on a wallet returned no row.");
  // While the indexer restarts, the settlements whose funds are in the wallet are not known.
  await guard(row.snapshot);
  const { claims } = row;
  const { first, kept, coming, retries, isComing, isNew, block } = claims;
  const owed = [first, kept, retries, isComing ? coming : "0"].reduce((sum, one) => sum + BigInt(one), 0n);
  const left = (await readBalance(client, place, BigInt(block))) - owed - retry.amount;
  if (left < 0n) return isNew ? "soon" : "later";
  return left < BigInt(claims.awaited) ? "soon" : "now";
}

/** Asks the provider whether a retry's funds have been returned, if its last report was that they had not. */
export async function refreshRefund(
  database: Database,
  { id, account }: { id: string; account: string | null },
  offRamp: OffRamp,
): Promise<void> {
  const [before] = await database
    .select({
      id: previous.id,
      account: previous.account,
      refunded: previous.refunded,
      reference: previous.reference,
      providerId: previous.providerId,
    })
    .from(payout)
    .innerJoin(previous, HAS_ENDED)
    .where(eq(payout.id, id))
    .orderBy(desc(previous.attempt))
    .limit(1);
  if (before?.refunded !== false || before.account !== account) return;
  const transfer = await offRamp.lookUp(before.reference, { providerId: before.providerId });
  if (transfer?.refunded !== true) return;
  await database
    .update(payout)
    .set({ refunded: true, updatedAt: sql`clock_timestamp()` })
    .where(and(eq(payout.id, before.id), eq(payout.refunded, false)));
}

/**
 * Records that a retry was moved to another wallet, whose other retries a worker may be ordering without taking this one
 * into account. A first attempt needs no record: it precedes every retry.
 */
export async function noteMove(tx: Transaction, id: string): Promise<void> {
  const before = tx
    .select({ id: previous.id })
    .from(payout)
    .innerJoin(previous, sql`${OF_SAME_PART} and ${previous.attempt} = ${payout.attempt} - 1`)
    .where(eq(payout.id, id));
  await tx.update(payout).set({ updatedAt: sql`clock_timestamp()` }).where(inArray(payout.id, before));
}
