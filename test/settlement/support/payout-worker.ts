// A payout worker that can be configured to die at a given step. It runs in the test's process or in a separate one.
import type { Database } from "#core/db/client.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutEnqueuer } from "#settlement/payouts/enqueue-due-payouts.ts";
import { createPayoutHandler, type Timeouts } from "#settlement/payouts/pay-out.ts";
import { PAYOUT_QUEUE, type PayoutJob } from "#settlement/payouts/payout-queue.ts";
import { gullibleBank } from "./gullible-bank.ts";
import { enterWorld } from "./world.ts";

/** The steps of a payout at which a worker can die. */
export const STEPS = [
  "the job is fetched",
  "the payout is claimed",
  "the bank was asked for the reference",
  "the bank has paid",
  "the payment is recorded",
] as const;
export type Step = (typeof STEPS)[number];

/** Short timeouts, so that a dead worker's payout can be claimed again soon. */
const TIMEOUTS: Timeouts = { leaseMs: 2_000, answerMs: 500 };

export type Die = (step: Step) => void;

const dyingBank = (bank: OffRamp, die: Die): OffRamp => ({
  ...bank,
  async lookUp(reference) {
    die("the payout is claimed");
    const known = await bank.lookUp(reference);
    die("the bank was asked for the reference");
    return known;
  },
  async create(order) {
    const transfer = await bank.create(order);
    die("the bank has paid");
    return transfer;
  },
});

export async function startWorker(databaseUrl: string, die: Die = () => undefined) {
  const world = await enterWorld(databaseUrl, {
    offRamps: (database: Database) => () => dyingBank(gullibleBank(database), die),
  });
  const pay = createPayoutHandler(world.context, () => die("the payment is recorded"), TIMEOUTS);
  const sendDue = createPayoutEnqueuer(world.context);
  const timer = setInterval(() => void sendDue().catch(() => undefined), 200);
  await world.context.boss.work<PayoutJob>(
    PAYOUT_QUEUE,
    { batchSize: 10, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 1 },
    (jobs) => {
      die("the job is fetched");
      return pay(jobs.flatMap((job) => job.data.payoutIds));
    },
  );
  return {
    world,
    async stop() {
      clearInterval(timer);
      await world.close();
    },
  };
}

if (import.meta.main) {
  const [databaseUrl = "", step] = process.argv.slice(2);
  await startWorker(databaseUrl, (reached) => {
    if (reached === step) process.kill(process.pid, "SIGKILL");
  });
}
