// The queue through which replicas share payouts: plan-payouts.ts and enqueue-due-payouts.ts send the jobs, workers.ts
// receives them and calls pay-out.ts. A job only means "check these payouts now": each payout's row determines what has
// to be done and by which replica. A lost or duplicate job is harmless.
import { type Db, PgBoss } from "pg-boss";
import { inSlices } from "#core/db/batch.ts";
import { RESPONSE_TIMEOUTS } from "#core/db/client.ts";
import { hashToUuid } from "#core/payouts/payout-reference.ts";
import type { Problems } from "../runtime/problems.ts";

export const PAYOUT_QUEUE = "payouts";

export type PayoutJob = { payoutIds: string[] };

/** Payouts per job. With one job per payout, the database would have a third more work. */
const A_JOB = 50;

/** How a process fetches jobs: the number of concurrent batches, and their size. */
export const WORK = {
  batchSize: 4,
  localConcurrency: 2,
  pollingIntervalSeconds: 1,
  // Polling interval without a notification. If the listener was disconnected, another job for the due payouts follows.
  notifyPollingIntervalSeconds: 20,
  burstWhenBatchFull: true,
};

/** A payout that is still due after this time gets another job, because the first one's worker may be dead. */
const ANOTHER_JOB_MS = 15_000;

export type DuePayout = { id: string; reference: string; dueAt: Date };

/**
 * Builds the key of a payout's job. The key changes each time the payout becomes due, and at intervals while it stays
 * due.
 */
export const nameJob = ({ reference, dueAt }: DuePayout, now = dueAt.getTime()): string => {
  const due = dueAt.getTime();
  return `${reference}:${due}:${Math.floor(Math.max(0, now - due) / ANOTHER_JOB_MS)}`;
};

/** Sends the jobs. Their ids deduplicate jobs for the same payouts that several processes find due. */
export async function enqueuePayouts(
  boss: PgBoss,
  payouts: DuePayout[],
  now?: number,
  db?: Db,
): Promise<void> {
  if (payouts.length === 0) return;
  const jobs = inSlices(payouts, A_JOB).map((some) => ({
    id: hashToUuid(some.map((payout) => nameJob(payout, now)).join()),
    data: { payoutIds: some.map(({ id }) => id) } satisfies PayoutJob,
  }));
  await boss.insert(PAYOUT_QUEUE, jobs, db ? { db } : {});
}

/** pg-boss options of the queue. */
export const QUEUE = {
  notify: true,
  // After a failure, the payout is still due and gets another job, so a retry of this job adds nothing.
  retryLimit: 0,
  expireInSeconds: 60,
  // Job ids depend on a time that never recurs, so jobs need not be kept forever.
  deleteAfterSeconds: 3_600,
  retentionSeconds: 3_600,
};

/** pg-boss usually reports a failure as a plain object with the error's properties, not as an instance of Error. */
export const restoreError = (reported: Error): Error =>
  reported instanceof Error ? reported : Object.assign(new Error(), reported);

/** @param timeouts pg-boss passes these to its pool, which otherwise waits forever for a database that does not respond */
export async function startQueue(
  databaseUrl: string,
  problems: Problems,
  timeouts = RESPONSE_TIMEOUTS,
): Promise<PgBoss> {
  const boss = new PgBoss({
    ...timeouts,
    connectionString: databaseUrl,
    application_name: "settlement-jobs",
    schema: "pgboss",
    max: 5,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: 60,
    // No job depends on another one.
    flowIntervalSeconds: 3_600,
  });
  boss.on("error", (error) => problems.report("queue", restoreError(error)));
  boss.on("warning", (warning) => problems.report("queue", new Error(warning.message)));
  try {
    await boss.start();
    await boss.createQueue(PAYOUT_QUEUE, QUEUE);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
}
