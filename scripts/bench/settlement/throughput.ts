// Measures the payouts per second of one settlement process and the empty pg-boss jobs per second, processed in the
// same way. Both run on the same database, alternately.
import { join } from "node:path";
import pino from "pino";
import { connect } from "#core/db/client.ts";
import { childReady, startChild } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { root } from "#scripts/shared/paths.ts";
import { answers } from "#scripts/shared/wait.ts";
import { startQueue } from "#settlement/payouts/payout-queue.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { doEmptyJobs, makePayouts } from "./rounds.ts";
import { settlePayments } from "./settled-payments.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
/** Number of warm-up rounds: the code of both processes is compiled as it is used. */
const WARM_UP = 2;
/** Number of payouts, and of empty jobs, in each round. */
const COUNT = Number(process.env.BENCH_PAYOUTS ?? 1_000);

/**
 * The bank completes payouts immediately, so that a payout is read once, like an empty job. No return window ends in a
 * later round. The service's polling is unchanged.
 */
const SETTINGS = {
  MOCK_PAYOUT_MIN_MS: "0",
  MOCK_PAYOUT_MAX_MS: "0",
  RETURN_WINDOW: "86400",
  POLL_INTERVAL_MS: "",
};

async function startEmptyWorker({ databaseUrl, logs }: Stack) {
  const port = await freePort();
  const worker = await startChild({
    name: "worker of empty jobs",
    command: [process.execPath, join(root, "scripts/bench/empty-jobs.ts")],
    env: { DATABASE_URL: databaseUrl, PORT: String(port) },
    cwd: root,
    log: join(logs, "empty-jobs.log"),
  });
  await childReady(worker, 20_000, () => answers(`http://127.0.0.1:${port}/ready`));
  return worker;
}

export type Round = { empty: number; paid: number; posted: number };

/** @returns the rates of each round, per second */
export async function measureThroughput(): Promise<Round[]> {
  const stack = await startStack({
    node: "hardhat",
    roles: ["indexer"],
    blockIntervalMs: 1_000,
    env: { LOG_LEVEL: "warn", ...SETTINGS },
  });
  try {
    await settlePayments(stack, COUNT * (WARM_UP + ROUNDS));
    const worker = await startEmptyWorker(stack);
    const database = connect(stack.databaseUrl, { application: "bench" });
    const boss = await startQueue(stack.databaseUrl, new Problems(pino({ level: "warn" })));
    const rounds: Round[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      // Autovacuum does this within a minute; without it, plans assume tables without rows.
      await database.execute("vacuum analyze");
      const empty = await doEmptyJobs({ database, boss }, COUNT);
      const payouts = await makePayouts({ database, boss }, COUNT);
      if (round >= WARM_UP) rounds.push({ empty, ...payouts });
    }
    await Promise.all([boss.stop({ graceful: false }), worker.stop()]);
    await database.$client.end();
    return rounds;
  } finally {
    await stack.stop();
  }
}
