// The baseline for payouts: a process that fetches jobs from pg-boss on the same database, in batches of a hundred, and
// completes them without doing any work.
import pino from "pino";
import { QUEUE, startQueue, WORK } from "#settlement/payouts/payout-queue.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { EMPTY_QUEUE } from "./settlement/rounds.ts";

const log = pino({ level: "warn" });
const boss = await startQueue(process.env.DATABASE_URL ?? "", new Problems(log));
await boss.createQueue(EMPTY_QUEUE, QUEUE);
await boss.work(EMPTY_QUEUE, { ...WORK, batchSize: 100, localConcurrency: 2 }, async () => undefined);
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  routes: { "/ready": new Response("ready") },
});
process.on("SIGTERM", async () => {
  await Promise.all([boss.stop({ graceful: true }), server.stop()]);
  process.exit(0);
});
