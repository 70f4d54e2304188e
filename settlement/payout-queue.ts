// The queue on which payouts are shared between replicas. A job only says "look at this payout now": what is to be
// done, and by whom, the payout's row decides. A lost or doubled job is harmless.
import { type Db, PgBoss } from "pg-boss";
import { uuidOf } from "#core/payout-reference.ts";
import type { Problems } from "./problems.ts";

export const PAYOUT_QUEUE = "payout";

export type PayoutJob = { payoutId: string };

/** How a process takes jobs from it: so many batches at a time, of so many. */
export const WORK = {
  batchSize: 100,
  localConcurrency: 2,
  pollingIntervalSeconds: 1,
  notifyPollingIntervalSeconds: 1,
  burstWhenBatchFull: true,
};

/** A payout that is still due after so long gets another job: the first one's worker may be dead. */
const ANOTHER_JOB_MS = 15_000;

export type DuePayout = { id: string; reference: string; dueAt: Date };

/** One job for each time that a payout is due, however often it is found to be, and by however many. */
export const jobIdOf = ({ reference, dueAt }: DuePayout, now = dueAt.getTime()): string => {
  const due = dueAt.getTime();
  return uuidOf(`${reference}:${due}:${Math.floor(Math.max(0, now - due) / ANOTHER_JOB_MS)}`);
};

export async function sendPayouts(boss: PgBoss, payouts: DuePayout[], now?: number, db?: Db): Promise<void> {
  if (payouts.length === 0) return;
  const jobs = payouts.map((payout) => ({ id: jobIdOf(payout, now), data: { payoutId: payout.id } }));
  await boss.insert(PAYOUT_QUEUE, jobs, db ? { db } : {});
}

/** What is kept of a job, and for how long. */
export const QUEUE = {
  notify: true,
  // Whoever fails leaves the payout due, and it gets another job: repeating this one adds nothing.
  retryLimit: 0,
  expireInSeconds: 60,
  // Ids name a moment that never comes again, so they need not be remembered for ever.
  deleteAfterSeconds: 3_600,
  retentionSeconds: 3_600,
};

/** What pg-boss tells of a failure is mostly a plain object with the error's properties: no error as others know it. */
export const restoreError = (told: Error): Error =>
  told instanceof Error ? told : Object.assign(new Error(), told);

export async function startQueue(databaseUrl: string, problems: Problems): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: "settlement-jobs",
    schema: "pgboss",
    max: 5,
    schedule: false,
    useListenNotify: true,
    superviseIntervalSeconds: 10,
  });
  boss.on("error", (error) => problems.met("queue", restoreError(error)));
  boss.on("warning", (warning) => problems.met("queue", new Error(warning.message)));
  try {
    await boss.start();
    await boss.createQueue(PAYOUT_QUEUE, QUEUE);
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw error;
  }
}
