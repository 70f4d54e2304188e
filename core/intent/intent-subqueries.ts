// Facts that an intent's row and order do not contain, as scalar subqueries of the read model (read-intent.ts).
import { max, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Address, Hex } from "viem";
import { hexText, idText } from "../db/as-text.ts";
import * as chain from "../db/chain.ts";
import { event } from "../db/schema/events.ts";
import { disputeRaiser, intent } from "../db/schema/intents.ts";
import { payout } from "../db/schema/payouts.ts";
import {
  reportedTransaction,
  transaction,
  transactionAttempt,
  transactionOrder,
} from "../db/schema/transactions.ts";

export type Funding = {
  state: string;
  succeeded: boolean | null;
  hash: Hex;
  createdAt: number;
  updatedAt: number;
};
export type ReportedTransaction = { hash: Hex; payer: Address; failed: boolean; createdAt: number };
export type Payouts = {
  submitted: boolean;
  failed: boolean;
  completedAmount: string;
  completedAt: number | null;
  finalAt: number | null;
  providerNotQueried: boolean;
  updatedAt: number;
  /** Id of the latest attempt. */
  latestId: string;
  /** The attempts whose outcome no event reports. */
  unreported: { id: string; state: "completed" | "failed" | "returned" }[];
};
export type Emitted = {
  /** The sequence of the latest event; 0 if there is none. */
  lastSequence: number;
  /** Unix seconds at which the service last recorded that the order was confirmed. */
  succeededAt: number | null;
};

const seconds = (moment: SQLWrapper) => sql`floor(extract(epoch from ${moment}))::int`;

const [a, o, t] = [alias(transactionAttempt, "a"), alias(transactionOrder, "o"), alias(transaction, "t")];
const [p, r] = [alias(payout, "p"), alias(reportedTransaction, "r")];

/** The relayer's latest funding attempt for the order. */
export const selectFunding = sql<Funding | null>`(
  select json_build_object(
    'state', ${t.state}, 'succeeded', ${t.succeeded},
    'hash', ${hexText(sql`coalesce(${t.minedHash}, (
      select ${a.hash} from ${transactionAttempt} a where ${a.transactionId} = ${t.id} order by ${a.createdAt} desc limit 1))`)},
    'createdAt', ${seconds(t.createdAt)}, 'updatedAt', ${seconds(t.updatedAt)})
  from ${transactionOrder} o join ${transaction} t on ${t.id} = ${o.transactionId}
  where ${o.orderId} = ${intent.id} and ${o.purpose} = 'create_order'
  order by ${t.createdAt} desc limit 1)`;

export const selectReported = sql<ReportedTransaction | null>`(
  select json_build_object(
    'hash', ${hexText(r.hash)}, 'payer', ${r.payer}, 'failed', ${r.failed}, 'createdAt', ${seconds(r.createdAt)})
  from ${reportedTransaction} r where ${r.intentId} = ${intent.id})`;

/** Summarizes the latest attempt of each payout, and lists the attempts whose outcome no event reports. */
export const selectPayouts = sql<Payouts | null>`(
  select case when count(*) = 0 then null else json_build_object(
    'submitted', bool_or(${p.state} = 'submitted'),
    'failed', bool_or(${p.state} in ('failed', 'returned')),
    'completedAmount', coalesce(sum(${p.amount} + ${p.deducted}) filter (where ${p.state} = 'completed'), 0)::text,
    'completedAt', ${seconds(max(p.completedAt))}, 'finalAt', ${seconds(max(p.finalAt))},
    -- The query at the end of the return window is the last one, and sets updated_at.
    'providerNotQueried', coalesce(bool_or(${p.nextAttemptAt} is not null
      and (${p.state} <> 'completed' or ${p.updatedAt} < ${p.finalAt})), false),
    'updatedAt', ${seconds(max(p.updatedAt))}, 'latestId', ${max(idText("payout", p.id))},
    'unreported', coalesce(any_value(p.unreported), '[]')) end
  from (
    -- The window function sees every attempt, distinct on keeps the latest ones.
    select distinct on (${p.settlementNumber}, ${p.part}) ${p.id}, ${p.state}, ${p.amount}, ${p.deducted}, ${p.completedAt},
      ${p.finalAt}, ${p.nextAttemptAt}, ${p.updatedAt},
      json_agg(json_build_object('id', ${idText("payout", p.id)}, 'state', ${p.state}))
        filter (where ${p.state} in ('completed', 'failed', 'returned') and ${p.emittedState} is distinct from ${p.state})
        over () as unreported
    from ${payout} p where ${p.intentId} = ${intent.id} order by ${p.settlementNumber}, ${p.part}, ${p.attempt} desc) p)`;

/** Summarizes the intent's events. */
export const selectEmitted = sql<Emitted>`(
  select json_build_object('lastSequence', coalesce(max(${event.sequence}), 0),
    'succeededAt', ${seconds(sql`max(${event.createdAt}) filter (
      where ${event.toStatus} = 'SUCCEEDED' and ${event.type} = 'payment_intent.succeeded')`)})
  from ${event} where ${event.intentId} = ${intent.id})`;

/** Who raised the latest dispute, as named by the API caller. */
export const selectRaiser = sql<Address | null>`(
  select ${disputeRaiser.raisedBy} from ${disputeRaiser}
  where ${disputeRaiser.intentId} = ${intent.id} and ${disputeRaiser.side} = ${chain.order.disputeSide})`;
