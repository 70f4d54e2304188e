// Retries that operators start, each with its audit log entry.
import { and, eq, gt, isNotNull, isNull, or, sql } from "drizzle-orm";
import { buildSubject, byOperations, recordAudit } from "#core/audit/record-audit.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { webhookDelivery } from "#core/db/schema/webhooks.ts";
import { workItem } from "#core/db/schema/work.ts";
import { wakeDeliveries } from "#core/events/record-events.ts";
import { type IntentId, orderIdOfIntent } from "#core/ids.ts";
import type { Changes } from "#core/model/changes.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { type FeeBearer, SettledExternallyError, tryPayoutsAgain } from "#core/payouts/try-again.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { UsageError, UserError } from "../../shared/errors.ts";

type Noted = {
  action: string;
  intentId: IntentId;
  resourceId: string;
  /** The person's name. */
  by: string;
  changes?: Changes;
};

export async function note(tx: Transaction, { by, ...noted }: Noted): Promise<void> {
  const [subject] = await tx.select().from(intent).where(eq(intent.id, noted.intentId));
  if (!subject) throw new UsageError(`No such payment: '${noted.intentId}'.`);
  await recordAudit(tx, [
    { ...buildSubject(subject), actor: { type: "operations", id: by.trim() }, ...noted },
  ]);
}

async function explainNoRetry(tx: Transaction, intentId: IntentId): Promise<string> {
  const left = and(eq(payout.intentId, intentId), eq(payout.state, "returned"), eq(payout.retried, false));
  const [row] = await tx.select({ id: payout.id }).from(payout).where(left).limit(1);
  if (!row) return `No payout of ${intentId} has failed or was returned.`;
  return (
    `After fees, nothing of ${row.id} is left to pay. Close it with npm run ops -- settle-externally ${row.id} --amount 0.00, ` +
    "with the merchant's consent as --reference."
  );
}

/** @returns the new attempts */
export const retryPayouts = (
  database: Database,
  id: string,
  bearer: FeeBearer,
  by: string,
): Promise<string[]> =>
  database.transaction(async (tx) => {
    const intentId = id as IntentId;
    const [row] = await tx.select().from(intent).where(eq(intent.id, intentId)).for("update");
    const [current] = await tx.select().from(deployment).where(eq(deployment.current, true));
    if (!row || row.deploymentId !== current?.id) {
      throw new UsageError(`No such payment on the gateway's chain: '${id}'.`);
    }
    const attempts = await tryPayoutsAgain(tx, current, intentId, bearer).catch((error: unknown) => {
      if (!(error instanceof SettledExternallyError)) throw error;
      throw new UserError(`${error.message} It requires a second person: npm run ops -- operations`);
    });
    if (attempts.length === 0) throw new UserError(await explainNoRetry(tx, intentId));
    for (const resourceId of attempts) await note(tx, { action: "payout.retry", intentId, resourceId, by });
    return attempts;
  });

/** Makes rejected work for the payment's order due now. @returns the purposes */
export const tryWorkAgain = (database: Database, id: string, by: string): Promise<string[]> =>
  database.transaction(async (tx) => {
    const intentId = id as IntentId;
    const [row] = await tx.select().from(intent).where(eq(intent.id, intentId));
    if (!row) throw new UsageError(`No such payment: '${id}'.`);
    const { merchantId, deploymentId } = row;
    const orderId = orderIdOfIntent(row.id);
    const refused = and(eq(workItem.orderId, orderId), gt(workItem.attempts, 0));
    const items = await tx.select({ purpose: workItem.purpose }).from(workItem).where(refused);
    if (items.length === 0) throw new UserError(`No work was rejected for ${id}.`);
    const work = items.map(({ purpose }) => ({ orderId, merchantId, purpose, ...NOW }));
    await scheduleWork(tx, deploymentId, work);
    for (const { purpose } of items)
      await note(tx, { action: "work.retry", intentId, resourceId: purpose, by });
    return items.map(({ purpose }) => purpose);
  });

/**
 * Payouts that the provider may be queried for. It may still correct the fee of a returned payout, unless a later
 * attempt exists.
 */
const mayBeAsked = or(
  isNotNull(payout.nextAttemptAt),
  eq(payout.state, "completed"),
  and(eq(payout.state, "returned"), eq(payout.retried, false)),
);

/** Makes a payout due now. A worker that has already claimed the payout keeps its lease. */
export const refreshPayout = (database: Database, id: string, by: string): Promise<void> =>
  database.transaction(async (tx) => {
    const [row] = await tx
      .update(payout)
      .set({ nextAttemptAt: dueNow.nextAttemptAt })
      .where(and(eq(payout.id, id), mayBeAsked))
      .returning({ intentId: payout.intentId });
    if (!row) {
      if ((await tx.$count(payout, eq(payout.id, id))) === 0) {
        throw new UsageError(`No such payout: '${id}'.`);
      }
      throw new UserError(`Nothing is left to do for payout ${id}.`);
    }
    await note(tx, { action: "payout.refresh", intentId: row.intentId, resourceId: id, by });
  });

export const redeliver = (database: Database, id: string, by: string): Promise<void> =>
  database.transaction(async (tx) => {
    const [row] = await tx
      .update(webhookDelivery)
      .set({ status: "pending", attempts: 0, nextAttemptAt: sql`clock_timestamp()` })
      .where(and(eq(webhookDelivery.id, id), isNull(webhookDelivery.lease)))
      .returning({ eventId: webhookDelivery.eventId });
    if (!row) {
      if ((await tx.$count(webhookDelivery, eq(webhookDelivery.id, id))) === 0) {
        throw new UsageError(`No such delivery: '${id}'.`);
      }
      throw new UserError(`Delivery ${id} is in progress.`);
    }
    await wakeDeliveries(tx);
    const [about] = await tx
      .select({ merchantId: event.merchantId, mode: event.mode, intentId: event.intentId })
      .from(event)
      .where(eq(event.id, row.eventId));
    if (!about) throw new Error("The delivery has no event.");
    const { intentId, ...owner } = about;
    const noted = { action: "webhook.redeliver", resourceId: id };
    if (intentId) await note(tx, { ...noted, intentId, by });
    else await recordAudit(tx, [{ ...byOperations(by), ...owner, ...noted }]);
  });
