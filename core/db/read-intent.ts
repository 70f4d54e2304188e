// The read model: one query joins an intent with its order, the indexed head, its funding transaction and its payouts.
// Retrieve, list and the workers all see an intent through here, and nowhere else (design, section 2).
import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Address, type Hex, isAddressEqual } from "viem";
import { restoreTerms, type Terms } from "../chain/terms.ts";
import type { Config } from "../config.ts";
import type { IntentId } from "../ids.ts";
import { type DerivedStatus, deriveStatus, type IntentFacts } from "../intent/status.ts";
import { batched } from "./batch.ts";
import * as chain from "./chain.ts";
import type { Database, Transaction } from "./client.ts";
import { type Head, headOf, type IndexerGuard, type IndexerWitness } from "./guard.ts";
import { deployment, intent } from "./schema.ts";
import { withWitness, witnessFields } from "./witness.ts";

export type IntentRow = typeof intent.$inferSelect;

type Funding = { state: string; succeeded: boolean | null; hash: Hex; createdAt: number; updatedAt: number };
type Hint = { hash: Hex; payer: Address; failed: boolean; createdAt: number };
type Payouts = {
  submitted: boolean;
  failed: boolean;
  completedAmount: string;
  completedAt: number | null;
  finalAt: number | null;
  unasked: boolean;
  updatedAt: number;
  /** Id of the attempt that was made last. */
  latestId: string;
};

/** An intent as the service shows it. */
export type IntentView = DerivedStatus & {
  intent: IntentRow;
  terms: Terms;
  order: chain.OrderRow | null;
  head: Head;
  facts: IntentFacts;
  funding: Funding | null;
  payouts: Payouts | null;
  /** Unix seconds at which the service first saw the funding deep enough. */
  succeededAt: number | null;
  /** Who raised the latest dispute; where the operator did, whom the API's caller named. */
  disputeRaisedBy: Address | null;
  /** The relayer's own transaction is on its way: nobody knows yet whether it pays. */
  relaying: boolean;
  transactionHash: Hex | null;
  /** Unix seconds of the last thing that changed what is shown. */
  updated: number;
  /** It belongs to a chain that is gone: its last recorded status is shown, and nothing can be done with it. */
  setAside: boolean;
};

const seconds = (moment: SQL) => sql`floor(extract(epoch from ${moment}))::int`;

/** The latest funding attempt that the relayer made for the order. */
const fundingOf = sql<Funding | null>`(
  select json_build_object(
    'state', t.state, 'succeeded', t.succeeded,
    'hash', coalesce(t.mined_hash, (
      select a.hash from gateway.transaction_attempt a where a.transaction_id = t.id order by a.created_at desc limit 1)),
    'createdAt', ${seconds(sql`t.created_at`)}, 'updatedAt', ${seconds(sql`t.updated_at`)})
  from gateway.transaction_order o join gateway.transaction t on t.id = o.transaction_id
  where o.order_id = ${intent.orderId} and o.purpose = 'create_order'
  order by t.created_at desc limit 1)`;

const hintOf = sql<Hint | null>`(
  select json_build_object('hash', h.hash, 'payer', h.payer, 'failed', h.failed, 'createdAt', ${seconds(sql`h.created_at`)})
  from gateway.transaction_hint h where h.intent_id = ${intent.id})`;

/** Over the latest attempt of each payout. */
const payoutsOf = sql<Payouts | null>`(
  select case when count(*) = 0 then null else json_build_object(
    'submitted', bool_or(p.state = 'submitted'),
    'failed', bool_or(p.state in ('failed', 'returned')),
    'completedAmount', coalesce(sum(p.amount) filter (where p.state = 'completed'), 0)::text,
    'completedAt', ${seconds(sql`max(p.completed_at)`)}, 'finalAt', ${seconds(sql`max(p.final_at)`)},
    -- The look at the window's end is the last of all, and leaves its moment.
    'unasked', coalesce(bool_or(p.next_look_at is not null and (p.state <> 'completed' or p.updated_at < p.final_at)), false),
    'updatedAt', ${seconds(sql`max(p.updated_at)`)}, 'latestId', max(p.id)) end
  from (
    select distinct on (settlement_id, part) id, state, amount, completed_at, final_at, next_look_at, updated_at
    from gateway.payout where intent_id = ${intent.id} order by settlement_id, part, attempt desc) p)`;

/** When the service first saw the order deep enough, if it has. */
const succeededAtOf = sql<number | null>`(
  select ${seconds(sql`max(e.created_at)`)} from gateway.event e
  where e.intent_id = ${intent.id} and e.to_status = 'SUCCEEDED' and e.type = 'payment_intent.succeeded')`;

/** Whom the API's caller named as the raiser of the latest dispute. */
const raiserOf = sql<Address | null>`(
  select d.raised_by from gateway.dispute_raiser d
  where d.intent_id = ${intent.id} and d.side = ${chain.order.disputeSide})`;

type Reading = {
  intent: IntentRow;
  current: boolean;
  order: chain.OrderRow | null;
  funding: Funding | null;
  hint: Hint | null;
  payouts: Payouts | null;
  succeededAt: number | null;
  raiser: Address | null;
  witness: IndexerWitness;
};

const select = (database: Pick<Database, "select">) =>
  withWitness(
    database
      .select({
        intent,
        current: deployment.current,
        order: chain.order,
        funding: fundingOf,
        hint: hintOf,
        payouts: payoutsOf,
        succeededAt: succeededAtOf,
        raiser: raiserOf,
        witness: witnessFields,
      })
      .from(intent)
      .innerJoin(deployment, eq(deployment.id, intent.deploymentId))
      .leftJoin(chain.order, and(eq(chain.order.id, intent.orderId), deployment.current))
      .$dynamic(),
  );

/** For so many seconds a transaction that is not mined counts: anybody may send one that never will be, at no cost. */
const HINT_COUNTS_SECONDS = 120;

/** What a transaction says that somebody told of; a stranger's that failed is nothing to a payment that others may make. */
function counted(hint: Hint | null, { payer }: IntentRow, now: number): Hint | null {
  if (!hint?.failed) return hint && now - hint.createdAt <= HINT_COUNTS_SECONDS ? hint : null;
  return payer && isAddressEqual(payer, hint.payer) ? hint : null;
}

const isUnresolved = ({ state, succeeded }: Funding): boolean => state !== "dropped" && succeeded !== false;

function fundingState(funding: Funding | null, hint: Hint | null): IntentFacts["funding"] {
  if ((funding && isUnresolved(funding)) || (hint && !hint.failed)) return "unresolved";
  return funding || hint ? "failed" : "none";
}

function disputeRaiser({ order, raiser }: Pick<Reading, "order" | "raiser">): Address | null {
  if (!order?.disputeActor) return null;
  const relayed = isAddressEqual(order.disputeActor, order.operator);
  return relayed && raiser ? raiser : order.disputeActor;
}

function viewOf(
  reading: Omit<Reading, "witness">,
  head: Head,
  config: Pick<Config, "chain">,
  now: number,
): IntentView {
  const { intent: row, order, funding, payouts } = reading;
  const hint = counted(reading.hint, row, now);
  const { confirmations, blockTime } = config.chain;
  const facts: IntentFacts = {
    amount: row.amount,
    lastSeen: row.lastSeenStatus,
    canceled: row.canceledAt !== null,
    payerAttached: row.payer !== null,
    fundingDeadline: row.terms.fundingDeadline,
    funding: fundingState(funding, hint),
    head,
    order,
    payouts: {
      submitted: payouts?.submitted ?? false,
      failed: payouts?.failed ?? false,
      completedAmount: BigInt(payouts?.completedAmount ?? 0),
      finalAt: payouts?.finalAt ?? null,
      unasked: payouts?.unasked ?? false,
    },
    now,
    confirmations,
    confirmationTime: confirmations * blockTime,
  };
  const setAside = !reading.current;
  const derived: DerivedStatus = setAside
    ? { status: row.lastSeenStatus, settlementStatus: lastSettlementStatus[row.lastSeenStatus] }
    : deriveStatus(facts);
  return {
    ...derived,
    intent: row,
    terms: restoreTerms(row.terms),
    order,
    head,
    facts,
    funding,
    payouts,
    succeededAt: reading.succeededAt,
    disputeRaisedBy: disputeRaiser(reading),
    relaying: funding !== null && isUnresolved(funding),
    transactionHash: order?.createTxHash ?? funding?.hash ?? hint?.hash ?? null,
    updated: Math.max(
      Math.floor(row.updatedAt.getTime() / 1000),
      order?.updatedAt ?? 0,
      funding?.updatedAt ?? 0,
      hint?.createdAt ?? 0,
      payouts?.updatedAt ?? 0,
    ),
    setAside,
  };
}

/** An intent that was made a moment ago: no block can know it, so it needs no indexer. */
export const viewOfNew = (row: IntentRow, config: Pick<Config, "chain">): IntentView =>
  viewOf(
    {
      intent: row,
      current: true,
      order: null,
      funding: null,
      hint: null,
      payouts: null,
      succeededAt: null,
      raiser: null,
    },
    { block: 0, timestamp: 0 },
    config,
    Math.floor(row.createdAt.getTime() / 1000),
  );

const lastSettlementStatus = {
  INITIATED: "PENDING",
  REQUIRES_SIGNATURE: "PENDING",
  PROCESSING: "PENDING",
  SUCCEEDED: "IN_PROGRESS",
  SETTLED: "COMPLETED",
  FINAL: "COMPLETED",
  CANCELED: null,
  REQUIRES_ACTION: "FAILED",
} as const;

export type IntentReader = ReturnType<typeof createIntentReader>;

/** Reads intents, guarded: what the indexer cannot vouch for is a 503 and never a guess. */
export function createIntentReader(options: {
  /** With plans that are kept (client.ts). */
  reads: Database;
  config: Pick<Config, "chain">;
  guard: IndexerGuard;
  now?: () => number;
}) {
  const { reads, config, guard } = options;
  const now = options.now ?? (() => Math.floor(Date.now() / 1000));
  const some = select(reads)
    .where(sql`${intent.id} = any(${sql.placeholder("ids")}::text[])`)
    .prepare("read_intents");
  const read = batched(
    (ids: IntentId[]) => some.execute({ ids }),
    (reading) => reading.intent.id,
  );
  const witness = withWitness(reads.select({ witness: witnessFields }).from(deployment).$dynamic())
    .where(eq(deployment.current, true))
    .prepare("read_head");

  const show = async (reading: Reading, remember = true): Promise<IntentView> => {
    // Nothing of a chain that is gone depends on the indexer.
    const head = reading.current
      ? await guard(reading.witness, remember)
      : headOf(reading.witness.latestCheckpoint ?? "0".repeat(42));
    return viewOf(reading, head, config, now());
  };

  return {
    /** One intent, or undefined if there is none of this id. */
    async find(id: IntentId): Promise<IntentView | undefined> {
      const reading = await read(id);
      return reading && show(reading);
    },

    /** As find, after the intent's row was locked in this transaction, on its connection: what is seen can be acted on. */
    async findLocked(tx: Transaction, id: IntentId): Promise<IntentView | undefined> {
      await tx.select({ id: intent.id }).from(intent).where(eq(intent.id, id)).for("update");
      const [reading] = await select(tx).where(eq(intent.id, id));
      return reading && show(reading, false);
    },

    /** Several intents in one snapshot, in no particular order. */
    async findAll(ids: IntentId[]): Promise<IntentView[]> {
      if (ids.length === 0) return [];
      const readings = await some.execute({ ids });
      return Promise.all(readings.map((reading) => show(reading)));
    },

    /** The indexed head, if the indexer can be believed. */
    async head(): Promise<Head> {
      const [reading] = await witness.execute();
      return guard(
        reading?.witness ?? {
          ready: false,
          build: null,
          latestCheckpoint: null,
          highWaterBlock: 0,
        },
      );
    },
  };
}
