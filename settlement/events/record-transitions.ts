// Writes down what payments have become since they were last seen: as events, those of many payments in one transaction.
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { type Draft, recordEventsOf } from "#core/events/record-events.ts";
import type { IntentId } from "#core/ids.ts";
import { merchantStatusOf } from "#core/intent/show-merchant-status.ts";
import { depthOf, type IntentStatus } from "#core/intent/status.ts";
import { fundingTerms } from "#core/search/terms.ts";
import { insertTerms } from "#core/search/write-terms.ts";
import type { Context } from "../runtime/context.ts";
import { escrowFacts, hasUntoldFacts } from "./escrow-facts.ts";
import { transitionEvent } from "./transition-event.ts";
import { type Step, stepsBetween } from "./transitions.ts";

/** What decided a status: a block, else a transaction, else a payout; empty where time or a person did. */
function decidedBy(view: IntentView, status: IntentStatus): string {
  const { order, payouts } = view;
  switch (status) {
    case "PROCESSING":
      return order?.createdBlockHash ?? view.transactionHash ?? "";
    case "SUCCEEDED":
      return order?.createdBlockHash ?? "";
    case "SETTLED":
    case "FINAL":
      return payouts?.latestId ?? order?.updatedBlockHash ?? "";
    case "REQUIRES_ACTION":
      return view.settlementStatus === "FAILED" ? (payouts?.latestId ?? "") : (view.transactionHash ?? "");
    case "CANCELED":
      return view.intent.canceledAt === null ? (order?.updatedBlockHash ?? "") : "";
    default:
      return "";
  }
}

/** The event of a status that was told: where the payment had come from, and what decided it. */
type Told = { fromStatus: IntentStatus | null; decidedBy: string };

/** The newest event of the status in which each was last seen. */
async function lastEvents(tx: Transaction, ids: IntentId[]): Promise<Map<IntentId | null, Told>> {
  const rows = await tx
    .selectDistinctOn([event.intentId], {
      intentId: event.intentId,
      fromStatus: event.fromStatus,
      decidedBy: event.decidedBy,
    })
    .from(event)
    .innerJoin(intent, and(eq(intent.id, event.intentId), eq(intent.lastEmittedStatus, event.toStatus)))
    .where(inArray(event.intentId, ids))
    .orderBy(event.intentId, desc(event.createdAt));
  return new Map(rows.map((row) => [row.intentId, row]));
}

function stepsOf(view: IntentView, last: Told | undefined): Step[] {
  const { order, head, facts, status, intent } = view;
  const funded = order !== null && depthOf(head, order.createdBlock) >= facts.confirmations;
  const accepted = facts.payouts.submitted || facts.payouts.completedAmount > 0n;
  const seen = { status: intent.lastEmittedStatus, before: last?.fromStatus ?? null };
  return stepsBetween(seen, { status, funded: funded || accepted });
}

/** What happens to an order happens after its funding is confirmed, and before the payment comes to its end. */
function inOrder(transitions: Draft[], facts: Draft[]): Draft[] {
  const funded = transitions.findLastIndex(({ to }) => to === "PROCESSING" || to === "SUCCEEDED") + 1;
  return [...transitions.slice(0, funded), ...facts, ...transitions.slice(funded)];
}

type News = { view: IntentView; steps: Step[]; drafts: Draft[] };

async function newsOf(
  tx: Transaction,
  view: IntentView,
  last: Told | undefined,
  config: Context["config"],
): Promise<News> {
  const steps = stepsOf(view, last);
  const transitions = steps.map((step) =>
    transitionEvent(
      view,
      config,
      step,
      // What is taken back is told by what had decided it: that block is gone, and the new one may be none.
      step.type === "payment_intent.reverted" ? (last?.decidedBy ?? "") : decidedBy(view, step.to),
    ),
  );
  const facts = hasUntoldFacts(view) ? await escrowFacts(tx, view, config) : [];
  return { view, steps, drafts: inOrder(transitions, facts) };
}

/** What a payment is found by once its funding is confirmed. */
const termsOf = (news: News[]) =>
  news.flatMap(({ view }) => {
    const { intent, order } = view;
    if (!order || !hasUntoldFacts(view)) return [];
    const isNew = intent.escrowEmitted === null || order.createdBlockHash === order.updatedBlockHash;
    return isNew ? [{ id: intent.id, terms: fundingTerms(order.payer, order.createTxHash) }] : [];
  });

const toJson = (news: News[]): string =>
  JSON.stringify(
    news.map(({ view }) => ({
      id: view.intent.id,
      status: view.status,
      merchant: merchantStatusOf(view),
      told: hasUntoldFacts(view) ? view.order?.updatedBlockHash : view.intent.escrowEmitted,
    })),
  );

/**
 * Records what changed in each.
 * @returns those that another replica has written since they were read: what it read may be older than this
 */
export async function recordTransitions(
  { database, config, log }: Context,
  views: readonly IntentView[],
): Promise<IntentId[]> {
  const taken = await database.transaction(async (tx): Promise<News[]> => {
    const ids = views.map((view) => view.intent.id);
    // Everybody locks in this order.
    const rows = await tx
      .select({ id: intent.id, status: intent.lastEmittedStatus, escrowEmitted: intent.escrowEmitted })
      .from(intent)
      .where(inArray(intent.id, ids))
      .orderBy(intent.id)
      .for("update");
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const unseen = views.filter(({ intent: { id, lastEmittedStatus, escrowEmitted } }) => {
      const row = rowOf.get(id);
      return row?.status === lastEmittedStatus && row.escrowEmitted === escrowEmitted;
    });
    if (unseen.length === 0) return [];
    const lasts = await lastEvents(tx, ids);
    const news: News[] = [];
    for (const view of unseen) news.push(await newsOf(tx, view, lasts.get(view.intent.id), config));
    await recordEventsOf(
      tx,
      news.map(({ view, drafts }) => ({ subject: view.intent, drafts })),
    );
    await tx.execute(sql`
      update gateway.intent i set
        last_emitted_status = k.status, last_emitted_merchant_status = k.merchant, escrow_emitted = k.told,
        updated_at = case when k.status = i.last_emitted_status then i.updated_at else clock_timestamp() end
      from json_to_recordset(${toJson(news)}::json) as k (id text, status text, merchant text, told text)
      where i.id = k.id`);
    const terms = termsOf(news);
    if (terms.length > 0) await tx.execute(insertTerms(terms));
    return news;
  });
  for (const { view, steps } of taken) {
    for (const { type, from, to } of steps)
      log.info({ intent: view.intent.id, type, from, to }, "intent moved");
  }
  const recorded = new Set(taken.map(({ view }) => view.intent.id));
  return views.map(({ intent: { id } }) => id).filter((id) => !recorded.has(id));
}
