// Compares the postings of some payments with the amounts that the chain and the payouts require, in one query and one
// snapshot. The comparison uses amounts, not events: a missing posting is posted, a wrong one is reversed.
import { eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { hexText, idText, intentIdText } from "#core/db/as-text.ts";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import type { IntentId } from "#core/ids.ts";
import {
  indexedBlock,
  indexerSnapshotFields,
  joinIndexerSnapshot,
} from "#core/indexer-state/indexer-snapshot.ts";
import { POSTING_KINDS, type PostingKind } from "#core/ledger/flows.ts";
import type { Context } from "../runtime/context.ts";
import { fundsOfAttempts } from "../runtime/planned-amount.ts";

/** A posting that is missing. */
export type Difference = {
  kind: PostingKind;
  subject: string;
  revision: number;
  reversed: boolean;
  /** Smallest unit. */
  amount: bigint;
  /** Currency of a delivered amount or a network fee; null stands for the intent's currency. */
  currency: string | null;
  intentId: IntentId;
  payoutId: string | null;
  block: number | null;
  txHash: `0x${string}` | null;
};

/** A difference as JSON. */
type Row = Omit<Difference, "amount"> & { amount: string };

const [o, r, s, w] = [
  alias(chain.order, "o"),
  alias(chain.refund, "r"),
  alias(chain.settlement, "s"),
  alias(chain.withdrawal, "w"),
];
const [b, p, t] = [alias(ledgerPosting, "b"), alias(payout, "p"), alias(transaction, "t")];
const [a, x] = [alias(transactionOrder, "a"), alias(transactionOrder, "x")];
/** The intents to compare. */
const n = alias(intent, "n");

/**
 * The facts of `touched` intents, as amounts that should be posted. A null amount is undecided and left unchanged: a
 * block that is not confirmed, an event that a reorg removed from unconfirmed blocks, a payout in progress.
 */
const WANTED = sql`
  fact as (
    select 'funded' as kind, '' as subject, ${n.id} as intent, ${o.amount}, ${o.createdBlock} as block,
      ${o.createTxHash} as hash
      from touched n join ${chain.order} o on ${o.id} = ${n.id}
    union all
    select 'refunded', ${r.number}::text, ${n.id}, ${r.amount}, ${r.block}, ${r.txHash}
      from touched n join ${chain.refund} r on ${r.orderId} = ${n.id}
    union all
    select 'settled', ${s.number}::text, ${n.id}, ${s.amount}, ${s.block}, ${s.txHash}
      from touched n join ${chain.settlement} s on ${s.orderId} = ${n.id}
    union all
    select 'withdrawn', ${w.number}::text, ${n.id}, ${w.amount}, ${w.block}, ${w.txHash}
      from touched n join ${chain.withdrawal} w on ${w.orderId} = ${n.id}
  ),
  posted as (
    select ${b.kind}, ${b.subject}, ${b.intentId} as intent, ${b.payoutId} as payout, max(${b.revision}) as revision,
      max(${b.block}) as block, sum(case when ${b.reversed} then -${b.amount} else ${b.amount} end) as amount
    from ${ledgerPosting} b where ${b.intentId} in (select id from touched) group by 1, 2, 3, 4
  ),
  paid as (
    select ${p.id}, ${p.intentId} as intent, concat_ws('.', ${p.settlementNumber}, ${p.part}, ${p.attempt}) as subject,
      ${p.settlementNumber} as number, ${p.part}, ${p.settlementBlock} as block, ${p.amount}, ${p.deducted}, ${p.fee}, ${p.gas},
      ${p.state}, ${p.externalReference} is not null as external, ${p.covered}, ${p.deliveredAmount} as delivered,
      ${p.state} in ('submitted', 'completed', 'returned') as "hasTaken",
      ${p.state} in ('completed', 'failed', 'returned') and ${p.postedState} is distinct from ${p.state} as unposted,
      coalesce(b.amount, 0) as posted
    from ${payout} p
    left join (select payout, sum(amount) as amount from posted where kind = 'paid' group by 1) b on b.payout = ${p.id}
    where ${p.intentId} in (select id from touched)
  ),
  taken as (
    select intent, max(block) filter (where "hasTaken") as block,
      sum(case state when 'returned' then fee else amount end - covered) filter (where "hasTaken") as takes,
      ${fundsOfAttempts({ amount: sql`amount`, deducted: sql`deducted`, state: sql`state` })} as planned
    from paid group by intent, number, part having bool_or("hasTaken")
  ),
  -- The orders of a transaction share its fee equally. What does not divide goes to the later ones: the sum is the fee.
  -- A transaction that a recovery restored has no orders here: what was posted of its fee stays.
  sent as (
    select concat_ws('-', ${hexText(t.signer)}, ${t.nonce}) as subject, ${n.id} as intent, ${t.blockNumber} as block,
      ${t.minedHash} as hash, case ${t.state} when 'mined' then null when 'final' then
        div(${t.networkFee} * share.place, share.orders) - div(${t.networkFee} * (share.place - 1), share.orders) else 0 end as amount
    from touched n join ${transactionOrder} a on ${a.orderId} = ${n.id}
    join ${transaction} t on ${t.id} = ${a.transactionId}
    join ${intent} on ${intent.id} = ${n.id} and ${intent.deploymentId} = ${t.deploymentId}
    cross join lateral (
      select count(*) as orders, count(*) filter (where ${x.orderId} <= ${a.orderId}) as place
      from ${transactionOrder} x where ${x.transactionId} = ${a.transactionId}) share
  ),
  wanted as (
    select kind, subject, intent, null::uuid as payout, block, hash,
      case when block <= deep then amount end as amount from fact, bounds
    union all
    select p.kind, p.subject, p.intent, null, p.block, null, 0 from posted p, bounds
      where p.kind in ('funded', 'refunded', 'settled', 'withdrawn') and p.amount > 0 and p.block <= deep
        and not exists (select from fact f where f.intent = p.intent and f.kind = p.kind and f.subject = p.subject)
    union all
    select 'network_fee', subject, intent, null, block, hash, amount from sent
    union all
    select 'paid', subject, intent, id, null, null,
      case state when 'completed' then amount - fee when 'returned' then greatest(0, amount - fee) end from paid where not external
    union all
    select 'paid_externally', subject, intent, id, null, null, amount from paid where external
    union all
    select 'fee', subject, intent, id, null, null,
      case when state in ('completed', 'returned') then fee - gas when state = 'failed' then 0 end from paid
    union all
    select 'gas', subject, intent, id, null, null,
      case when state in ('completed', 'returned') then gas when state = 'failed' then 0 end from paid
    union all
    select 'delivered', subject, intent, id, null, null,
      case state when 'completed' then coalesce(delivered, 0) when 'returned' then 0 when 'failed' then 0 end from paid
    union all
    select 'fee_covered', subject, intent, id, null, null,
      case when "hasTaken" then covered when state = 'failed' then 0 end
      from paid where covered > 0
    union all
    select 'payout_returned', subject, intent, id, null, null,
      case state when 'completed' then 0 when 'returned' then greatest(0, amount - fee) when 'failed' then posted end from paid
    union all
    -- Providers have taken more for a payout than its amount (a fee of one that came back may be greater), or more for all
    -- payouts than the chain has settled now. A settlement may have been mined again above the block from which it was
    -- paid out.
    select 'lost', '', intent, null, block, null,
      case when latest <= deep then greatest(0, excess, takes - coalesce(settled, 0)) end
    from (
      select intent, max(block) filter (where takes is not null) as block, max(block) as latest, sum(takes) as takes,
        sum(excess) as excess, sum(settled) as settled
      from (
        select intent, block, takes, greatest(0, takes - planned) as excess, null::numeric as settled from taken
        union all
        select intent, block, null, null, amount from fact where kind = 'settled'
        union all
        select intent, block, null, null, null from posted where kind = 'settled') x
      group by intent having count(takes) > 0) p cross join bounds
    union all
    select 'lost', l.subject, l.intent, null, l.block, null, 0 from posted l
    where l.kind = 'lost' and l.amount > 0 and not exists (select from taken where intent = l.intent)
  )`;

/**
 * The differences to post, and the intents that are held back and read again. An intent is held back if its postings
 * would overdraw an account because one of its facts is undecided, or if a provider reports a fee that exceeds the
 * amount of a completed payout, or a gas fee that exceeds the fee.
 */
const DIFFERENCES = sql`
  after as (
    select coalesce(w.kind, p.kind) as kind, coalesce(w.subject, p.subject) as subject,
      coalesce(w.intent, p.intent) as intent, coalesce(w.payout, p.payout) as payout,
      coalesce(w.block, p.block) as block, w.hash, coalesce(p.revision, 0) + 1 as revision,
      coalesce(p.amount, 0) as before, coalesce(w.amount, p.amount, 0) as amount
    from wanted w full join posted p on p.intent = w.intent and p.kind = w.kind and p.subject = w.subject
  ),
  held as (
    select intent from after group by intent
    having least(
      sum(case kind when 'funded' then amount when 'refunded' then -amount when 'withdrawn' then -amount
        when 'settled' then -amount else 0 end),
      sum(case kind when 'settled' then amount when 'lost' then amount when 'payout_returned' then amount when 'fee_covered' then amount
        when 'paid' then -amount when 'paid_externally' then -amount when 'fee' then -amount
          when 'gas' then -amount else 0 end)) < 0
    union select intent from paid
      where state = 'completed' and fee > amount or state in ('completed', 'returned') and gas > fee
  ),
  difference as (
    select kind, subject, revision, amount < before as "reversed", abs(amount - before)::text as amount,
      ${intentIdText(sql`intent`)} as "intentId", ${idText("payout", sql`payout`)} as "payoutId", block, ${hexText(sql`hash`)} as "txHash",
      case kind when 'delivered' then (select ${p.deliveredCurrency} from ${payout} p where ${p.id} = after.payout)
        when 'network_fee' then (select native from bounds) end as currency
    from after where amount <> before
  )`;

/** In chronological order. */
const KINDS = sql.raw(`array[${POSTING_KINDS.map((kind) => `'${kind}'`).join(", ")}]`);

export type Findings = {
  differences: Difference[];
  /** Differences of intents that cannot be posted yet. */
  held: Difference[];
  /** Payouts whose state and fee the ledger reflects once the differences are posted. */
  payouts: {
    id: string;
    intentId: IntentId;
    state: string;
    fee: string;
    gas: string;
    delivered: string | null;
  }[];
};

/**
 * The latest confirmed block, for a query with a snapshot. `finalized` may be null if the network has no such block.
 */
export const deepBlock = (confirmations: number, finalized: SQL): SQL =>
  sql`least(${indexedBlock} - ${sql.raw(String(confirmations))} + 1, ${finalized})`;

/**
 * Finds missing postings.
 * @param touched SQL that selects `intent.id`
 * @param finalized see finalizedBlock
 */
export async function findDifferences(
  { database, deployment: current, config }: Pick<Context, "database" | "deployment" | "config">,
  touched: SQL,
  finalized: bigint | undefined,
) {
  const deep = deepBlock(config.chain.confirmations, sql`${finalized?.toString() ?? null}::bigint`);
  type Found = Omit<Findings, "differences" | "held"> & { differences: Row[]; held: Row[] };
  const [row] = await joinIndexerSnapshot(
    database
      .select({
        snapshot: indexerSnapshotFields,
        found: sql<Found>`(
          with bounds as (select ${deep} as deep, ${config.network.currency}::text as native), touched as (${touched}), ${WANTED}, ${DIFFERENCES}
          select json_build_object(
            'differences', (select coalesce(json_agg(d order by d."intentId", array_position(${KINDS}, d.kind), d.subject), '[]') from difference d
              where d."intentId" not in (select ${intentIdText(sql`intent`)} from held)),
            'held', (select coalesce(json_agg(d), '[]') from difference d
              where d."intentId" in (select ${intentIdText(sql`intent`)} from held)),
            'payouts', (select coalesce(json_agg(json_build_object('id', ${idText("payout", sql`id`)}, 'intentId', ${intentIdText(sql`intent`)}, 'state', state,
                'fee', fee::text, 'gas', gas::text, 'delivered', delivered::text)), '[]') from paid
              where unposted and intent not in (select intent from held))))`,
      })
      .from(deployment)
      .$dynamic(),
  ).where(eq(deployment.id, current.id));
  if (!row) throw new Error("The deployment is not in the database.");
  const { found, snapshot } = row;
  const restore = (rows: Row[]): Difference[] =>
    rows.map(({ amount, ...rest }) => ({ ...rest, amount: BigInt(amount) }));
  const findings: Findings = {
    ...found,
    differences: restore(found.differences),
    held: restore(found.held),
  };
  return { snapshot, findings };
}
