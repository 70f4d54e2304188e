// The queue on which payouts are shared between replicas. A job only says "look at these payouts now": what is to be
// done, and by whom, each payout's row decides. A lost or doubled job is harmless.
import { type Db, PgBoss } from "pg-boss";
import { inSlices } from "#core/db/batch.ts";
import { uuidOf } from "#core/payouts/payout-reference.ts";
import type { Problems } from "../runtime/problems.ts";

export const PAYOUT_QUEUE = "payouts";

export type PayoutJob = { payoutIds: string[] };

/** Payouts a job: one for each would cost the database a third more. */
const A_JOB = 50;

/** How a process takes jobs from it: so many batches at a time, of so many. */
export const WORK = {
  batchSize: 4,
  localConcurrency: 3,
  pollingIntervalSeconds: 1,
  // Without a notification: the listener was away, and another job for what is due comes as well.
  notifyPollingIntervalSeconds: 20,
  burstWhenBatchFull: true,
};

/** A payout that is still due after so long gets another job: the first one's worker may be dead. */
const ANOTHER_JOB_MS = 15_000;

export type DuePayout = { id: string; reference: string; dueAt: Date };

/** For what a payout gets a job: each time that it is due, and again when it still is. */
export const lookOf = ({ reference, dueAt }: DuePayout, now = dueAt.getTime()): string => {
  const due = dueAt.getTime();
  return `${reference}:${due}:${Math.floor(Math.max(0, now - due) / ANOTHER_JOB_MS)}`;
};

/** One job for the same payouts, by however many they are found to be due. */
export async function sendPayouts(boss: PgBoss, payouts: DuePayout[], now?: number, db?: Db): Promise<void> {
  if (payouts.length === 0) return;
  const jobs = inSlices(payouts, A_JOB).map((some) => ({
    id: uuidOf(some.map((payout) => lookOf(payout, now)).join()),
    data: { payoutIds: some.map(({ id }) => id) } satisfies PayoutJob,
  }));
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
    superviseIntervalSeconds: 60,
    // No job waits for another one.
    flowIntervalSeconds: 3_600,
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
