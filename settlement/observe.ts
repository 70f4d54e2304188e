// The observer: a status that the read model shows for the first time becomes an event, and so does what the chain says
// of the escrow order, and what became of a payout.
import { and, desc, eq, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import { event } from "#core/db/event-schema.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema.ts";
import { escrowFacts, hasUntoldFacts } from "#core/events/escrow-facts.ts";
import { createPayoutTeller } from "#core/events/payout-events.ts";
import { type Draft, recordEvents } from "#core/events/record-events.ts";
import { transitionEvent } from "#core/events/transition-event.ts";
import type { IntentId } from "#core/ids.ts";
import { depthOf, type IntentStatus } from "#core/intent/status.ts";
import { createChangeFinder } from "./changed-intents.ts";
import type { Context } from "./context.ts";
import { canChange } from "./due-orders.ts";
import { type Seen, type Step, stepsBetween } from "./transitions.ts";

/** How many intents are looked at in one query. */
const BATCH = 500;

/** How many are written down at the same time, each in a transaction of its own. */
const AT_ONCE = 4;

/** Every intent that can change is looked at in so many slow polls, whatever seems to have changed. */
const POLLS_UNTIL_ALL = 5;

/** For how long after a cancellation a reorg may still take it back. */
const UNSETTLED_CANCELLATION = "1 day";

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

const lastEvent = async (tx: Transaction, id: IntentId, status: IntentStatus) => {
  const [last] = await tx
    .select({ fromStatus: event.fromStatus, decidedBy: event.decidedBy })
    .from(event)
    .where(and(eq(event.intentId, id), eq(event.toStatus, status)))
    .orderBy(desc(event.createdAt))
    .limit(1);
  return last;
};

/** Records what changed, unless another replica was faster. */
async function record(context: Context, view: IntentView): Promise<void> {
  const { config } = context;
  const { id } = view.intent;
  const taken = await context.database.transaction(async (tx): Promise<Step[]> => {
    const [row] = await tx
      .select({ status: intent.lastSeenStatus, escrowTold: intent.escrowTold })
      .from(intent)
      .where(eq(intent.id, id))
      .for("update");
    if (row?.status !== view.intent.lastSeenStatus || row.escrowTold !== view.intent.escrowTold) return [];
    const last = await lastEvent(tx, id, row.status);
    const seen: Seen = { status: row.status, before: last?.fromStatus ?? null };
    const { order, head, facts } = view;
    const funded = order !== null && depthOf(head, order.createdBlock) >= facts.confirmations;
    const accepted = facts.payouts.submitted || facts.payouts.completedAmount > 0n;
    const steps = stepsBetween(seen, { status: view.status, funded: funded || accepted });
    const transitions = steps.map((step) =>
      transitionEvent(
        view,
        config,
        step,
        // What is taken back is told by what had decided it: that block is gone, and the new one may be none.
        step.type === "payment_intent.reverted" ? (last?.decidedBy ?? "") : decidedBy(view, step.to),
      ),
    );
    const told = hasUntoldFacts(view) ? await escrowFacts(tx, view, config) : [];
    await recordEvents(tx, view.intent, inOrder(transitions, told));
    await tx
      .update(intent)
      .set({
        ...(steps.length > 0 ? { lastSeenStatus: view.status, updatedAt: sql`clock_timestamp()` } : {}),
        ...(hasUntoldFacts(view) ? { escrowTold: order?.updatedBlockHash ?? null } : {}),
      })
      .where(eq(intent.id, id));
    return steps;
  });
  for (const { type, from, to } of taken) context.log.info({ intent: id, type, from, to }, "intent moved");
}

/** What happens to an order happens after its funding is confirmed, and before the payment comes to its end. */
function inOrder(transitions: Draft[], facts: Draft[]): Draft[] {
  const funded = transitions.findLastIndex(({ to }) => to === "PROCESSING" || to === "SUCCEEDED") + 1;
  return [...transitions.slice(0, funded), ...facts, ...transitions.slice(funded)];
}

async function look(context: Context, ids: IntentId[]): Promise<void> {
  const views = (await context.reader.findAll(ids)).filter((view) => {
    const moved = view.status !== view.intent.lastSeenStatus;
    return !view.setAside && (moved || hasUntoldFacts(view));
  });
  for (let i = 0; i < views.length; i += AT_ONCE) {
    await Promise.all(views.slice(i, i + AT_ONCE).map((view) => record(context, view)));
  }
}

/**
 * Makes the observer's run: a look at what has changed, and now and then, beginning with the first, at every intent that
 * can still change.
 */
export function createObserver(
  context: Context,
  lookAtAllMs = context.config.pollIntervalMs * POLLS_UNTIL_ALL,
): () => Promise<void> {
  const { reads, deployment } = context;
  const open = reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(eq(intent.deploymentId, deployment.id), canChange, sql`${intent.id} > ${sql.placeholder("after")}`),
    )
    .orderBy(intent.id)
    .limit(BATCH)
    .prepare("observe_open");
  // An order that came although the intent had expired, or whose refund a reorg took back; an order that vanished
  // together with its refund. Canceled by the merchant stays canceled: refund-late-funding.ts sees to its money.
  const reopened = reads
    .select({ id: intent.id })
    .from(intent)
    .leftJoin(chain.order, eq(chain.order.id, intent.orderId))
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.lastSeenStatus} = 'CANCELED'`,
        sql`${intent.updatedAt} > now() - ${UNSETTLED_CANCELLATION}::interval`,
        sql`${intent.canceledAt} is null`,
        sql`case when ${chain.order.id} is null
          then exists (select from ${event} where ${event.intentId} = ${intent.id} and ${event.decidedBy} <> ''
            and ${event.toStatus} = 'CANCELED')
          else ${chain.order.status} <> 5 or ${chain.order.released} > 0 end`,
      ),
    )
    .limit(BATCH)
    .prepare("observe_reopened");

  // What was final until a bank gave the money back.
  const cameBack = reads
    .select({ id: intent.id })
    .from(intent)
    .where(
      and(
        eq(intent.deploymentId, deployment.id),
        sql`${intent.lastSeenStatus} = 'FINAL'`,
        sql`${intent.id} in (select p.intent_id from gateway.payout p
          where p.state in ('failed', 'returned') and not exists (select from gateway.payout later
            where later.intent_id = p.intent_id and later.settlement_id = p.settlement_id and later.part = p.part
              and later.attempt > p.attempt))`,
      ),
    )
    .limit(BATCH)
    .prepare("observe_came_back");

  const tellPayouts = createPayoutTeller(context);

  const findChanged = createChangeFinder(context);
  let lookAtAllAt = 0;

  async function lookAtAll(): Promise<void> {
    let after = "";
    for (;;) {
      const ids = (await open.execute({ after })).map((row) => row.id);
      await look(context, ids);
      const last = ids.at(-1);
      if (last === undefined || ids.length < BATCH) break;
      after = last;
    }
    for (const query of [reopened, cameBack]) {
      await look(
        context,
        (await query.execute()).map((row) => row.id),
      );
    }
  }

  return async () => {
    await tellPayouts();
    const { ids, done } = await findChanged();
    if (Date.now() < lookAtAllAt) {
      for (let i = 0; i < ids.length; i += BATCH) await look(context, ids.slice(i, i + BATCH));
    } else {
      await lookAtAll();
      lookAtAllAt = Date.now() + lookAtAllMs;
    }
    done();
  };
}
