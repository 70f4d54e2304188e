// Emits events for the changes of payments and their payouts since they were last observed, for many payments in one
// transaction.
import { eq, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent } from "#core/db/schema/intents.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import { type Draft, type Emitted, readEvents, recordAllEvents } from "#core/events/record-events.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showMerchantStatus } from "#core/intent/show-merchant-status.ts";
import { countConfirmations, type IntentStatus } from "#core/model/intent-status.ts";
import { fundingTerms } from "#core/search/derive-search-terms.ts";
import { insertSearchTerms } from "#core/search/write-search-terms.ts";
import type { Context } from "../runtime/context.ts";
import { escrowFacts, hasPendingFacts } from "./escrow-facts.ts";
import { reportPayouts } from "./payout-events.ts";
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

/** Whether the status or the order of an intent, apart from its payouts, has a change without an event. */
export const hasOwnChange = (view: IntentView): boolean =>
  !view.orphaned && (view.status !== view.intent.lastEmittedStatus || hasPendingFacts(view));

/** The changes of an intent's own status and order. */
type Changes = { view: IntentView; steps: Step[]; drafts: Draft[] };

async function collectChanges(
  tx: Transaction,
  view: IntentView,
  known: readonly Emitted[],
  config: Context["config"],
): Promise<Changes> {
  const last = known.findLast(({ toStatus }) => toStatus === view.intent.lastEmittedStatus);
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
const collectSearchTerms = (changes: readonly Changes[]) =>
  changes.flatMap(({ view }) => {
    const { intent, order } = view;
    if (!order || !hasPendingFacts(view)) return [];
    const isNew = intent.escrowEmitted === null || order.createdBlockHash === order.updatedBlockHash;
    return isNew ? [{ id: intent.id, terms: fundingTerms(order.payer, order.createTxHash) }] : [];
  });

const toJson = (changes: readonly Changes[]): string =>
  JSON.stringify(
    changes
      .map(({ view }) => ({
        id: view.intent.id,
        status: view.status,
        merchant: showMerchantStatus(view),
        escrowEmitted:
          (hasPendingFacts(view) ? view.order?.updatedBlockHash : null) ?? view.intent.escrowEmitted,
      }))
      .map(toStoredForm(intent)),
  );

async function updateIntents(tx: Transaction, changes: readonly Changes[]): Promise<void> {
  if (changes.length === 0) return;
  await tx
    .update(intent)
    .set({
      lastEmittedStatus: sql`k.status`,
      lastEmittedMerchantStatus: sql`k.merchant`,
      escrowEmitted: sql`k."escrowEmitted"`,
      updatedAt: sql`case when k.status = ${intent.lastEmittedStatus} then ${intent.updatedAt} else clock_timestamp() end`,
    })
    .from(
      sql`json_to_recordset(${toJson(changes)}::json) as k (id bytea, status text, merchant text, "escrowEmitted" bytea)`,
    )
    .where(eq(intent.id, sql`k.id`));
  const terms = collectSearchTerms(changes);
  if (terms.length > 0) await tx.execute(insertSearchTerms(terms));
}

/**
 * Locks the intents of these views, and returns the views that nobody has changed since. Every transaction locks intents
 * in this order, so that they never deadlock. The lock excludes other changes of the intents, but does not wait for
 * transactions that insert rows which refer to them, such as payouts.
 */
async function lockUnchanged(tx: Transaction, views: readonly IntentView[]): Promise<IntentView[]> {
  const ids = views.map((view) => view.intent.id);
  const rows = await tx
    .select({ id: intent.id, status: intent.lastEmittedStatus, escrowEmitted: intent.escrowEmitted })
    .from(intent)
    .where(isAmong(intent.id, ids))
    .orderBy(intent.id)
    .for("no key update")
    .prepare("lock_intents")
    .execute();
  const rowById = new Map(rows.map((row) => [row.id, row]));
  return views.filter(({ intent: { id, lastEmittedStatus, escrowEmitted } }) => {
    const row = rowById.get(id);
    return row?.status === lastEmittedStatus && row.escrowEmitted === escrowEmitted;
  });
}

/**
 * Records the changes of each payment, after the outcomes of its payouts.
 * @returns the ids of intents that another process has changed or locked since they were read; nothing of them is
 *   recorded
 */
export async function recordChanges(
  { database, config, log }: Context,
  views: readonly IntentView[],
): Promise<IntentId[]> {
  const { recorded, changes } = await database.transaction(async (tx) => {
    const unchanged = await lockUnchanged(tx, views);
    const known = await readEvents(
      tx,
      unchanged.map((view) => view.intent.id),
    );
    // Another process may have recorded an event, with which the status that it had found is the same as before.
    const hasNoNewEvent = ({ intent: { id }, emitted }: IntentView) =>
      (known.get(id)?.at(-1)?.sequence ?? 0) === emitted.lastSequence;
    const payoutEvents = await reportPayouts(tx, unchanged.filter(hasNoNewEvent));
    const current = unchanged.filter(({ intent: { id } }) => payoutEvents.has(id));
    const found = new Map<IntentId, Changes>();
    for (const view of current.filter(hasOwnChange)) {
      const { id } = view.intent;
      found.set(id, await collectChanges(tx, view, known.get(id) ?? [], config));
    }
    await recordAllEvents(
      tx,
      current.map(({ intent: subject }) => ({
        subject,
        drafts: [...(payoutEvents.get(subject.id) ?? []), ...(found.get(subject.id)?.drafts ?? [])],
      })),
      known,
    );
    await updateIntents(tx, [...found.values()]);
    return { recorded: new Set(current.map((view) => view.intent.id)), changes: found };
  });
  for (const [id, { steps }] of changes) {
    for (const { type, from, to } of steps) log.info({ intent: id, type, from, to }, "intent status changed");
  }
  return views.map((view) => view.intent.id).filter((id) => !recorded.has(id));
}
