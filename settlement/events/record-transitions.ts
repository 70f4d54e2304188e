// Emits events for the changes of payments since they were last observed, for many payments in one transaction.
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import { type Draft, recordAllEvents } from "#core/events/record-events.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showMerchantStatus } from "#core/intent/show-merchant-status.ts";
import { countConfirmations, type IntentStatus } from "#core/model/intent-status.ts";
import { fundingTerms } from "#core/search/derive-search-terms.ts";
import { insertSearchTerms } from "#core/search/write-search-terms.ts";
import type { Context } from "../runtime/context.ts";
import { escrowFacts, hasPendingFacts } from "./escrow-facts.ts";
import { transitionEvent } from "./transition-event.ts";
import { type Step, stepsBetween } from "./transitions.ts";

/** Returns the block, transaction or payout that decided a status; empty if time or a person decided it. */
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

/** The event of an emitted status: the payment's earlier status, and what decided it. */
type Emitted = { fromStatus: IntentStatus | null; decidedBy: string };

/** Returns the newest event of each intent with the intent's last emitted status. */
async function lastEvents(tx: Transaction, ids: IntentId[]): Promise<Map<IntentId | null, Emitted>> {
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

function listSteps(view: IntentView, last: Emitted | undefined): Step[] {
  const { order, head, facts, status, intent } = view;
  const funded = order !== null && countConfirmations(head, order.createdBlock) >= facts.confirmations;
  const accepted = facts.payouts.submitted || facts.payouts.completedAmount > 0n;
  const seen = { status: intent.lastEmittedStatus, before: last?.fromStatus ?? null };
  return stepsBetween(seen, { status, funded: funded || accepted });
}

/** Puts the order's facts after the confirmation of its funding, and before the end of the payment. */
function inOrder(transitions: Draft[], facts: Draft[]): Draft[] {
  const funded = transitions.findLastIndex(({ to }) => to === "PROCESSING" || to === "SUCCEEDED") + 1;
  return [...transitions.slice(0, funded), ...facts, ...transitions.slice(funded)];
}

type News = { view: IntentView; steps: Step[]; drafts: Draft[] };

async function collectChanges(
  tx: Transaction,
  view: IntentView,
  last: Emitted | undefined,
  config: Context["config"],
): Promise<News> {
  const steps = listSteps(view, last);
  const transitions = steps.map((step) =>
    transitionEvent(
      view,
      config,
      step,
      // A reverted event keeps what had decided the removed status: that block no longer exists, and there may be no
      // new one.
      step.type === "payment_intent.reverted" ? (last?.decidedBy ?? "") : decidedBy(view, step.to),
    ),
  );
  const facts = hasPendingFacts(view) ? await escrowFacts(tx, view, config) : [];
  return { view, steps, drafts: inOrder(transitions, facts) };
}

/** Collects the search terms of payments whose funding is confirmed. */
const collectSearchTerms = (news: News[]) =>
  news.flatMap(({ view }) => {
    const { intent, order } = view;
    if (!order || !hasPendingFacts(view)) return [];
    const isNew = intent.escrowEmitted === null || order.createdBlockHash === order.updatedBlockHash;
    return isNew ? [{ id: intent.id, terms: fundingTerms(order.payer, order.createTxHash) }] : [];
  });

const toJson = (news: News[]): string =>
  JSON.stringify(
    news
      .map(({ view }) => ({
        id: view.intent.id,
        status: view.status,
        merchant: showMerchantStatus(view),
        escrowEmitted:
          (hasPendingFacts(view) ? view.order?.updatedBlockHash : null) ?? view.intent.escrowEmitted,
      }))
      .map(toStoredForm(intent)),
  );

/**
 * Records the changes of each payment.
 * @returns the ids of intents that another replica has changed since they were read; their views may be outdated
 */
export async function recordTransitions(
  { database, config, log }: Context,
  views: readonly IntentView[],
): Promise<IntentId[]> {
  const taken = await database.transaction(async (tx): Promise<News[]> => {
    const ids = views.map((view) => view.intent.id);
    // Every transaction locks intents in this order, so that they never deadlock.
    const rows = await tx
      .select({ id: intent.id, status: intent.lastEmittedStatus, escrowEmitted: intent.escrowEmitted })
      .from(intent)
      .where(inArray(intent.id, ids))
      .orderBy(intent.id)
      .for("update");
    const rowById = new Map(rows.map((row) => [row.id, row]));
    const unseen = views.filter(({ intent: { id, lastEmittedStatus, escrowEmitted } }) => {
      const row = rowById.get(id);
      return row?.status === lastEmittedStatus && row.escrowEmitted === escrowEmitted;
    });
    if (unseen.length === 0) return [];
    const lasts = await lastEvents(tx, ids);
    const news: News[] = [];
    for (const view of unseen) news.push(await collectChanges(tx, view, lasts.get(view.intent.id), config));
    await recordAllEvents(
      tx,
      news.map(({ view, drafts }) => ({ subject: view.intent, drafts })),
    );
    await tx
      .update(intent)
      .set({
        lastEmittedStatus: sql`k.status`,
        lastEmittedMerchantStatus: sql`k.merchant`,
        escrowEmitted: sql`k."escrowEmitted"`,
        updatedAt: sql`case when k.status = ${intent.lastEmittedStatus} then ${intent.updatedAt} else clock_timestamp() end`,
      })
      .from(
        sql`json_to_recordset(${toJson(news)}::json) as k (id bytea, status text, merchant text, "escrowEmitted" bytea)`,
      )
      .where(eq(intent.id, sql`k.id`));
    const terms = collectSearchTerms(news);
    if (terms.length > 0) await tx.execute(insertSearchTerms(terms));
    return news;
  });
  for (const { view, steps } of taken) {
    for (const { type, from, to } of steps)
      log.info({ intent: view.intent.id, type, from, to }, "intent status changed");
  }
  const recorded = new Set(taken.map(({ view }) => view.intent.id));
  return views.map(({ intent: { id } }) => id).filter((id) => !recorded.has(id));
}
