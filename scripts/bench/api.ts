// `npm run bench:api`: measures the API. Timings vary between machines and runs, so only ratios and differences are
// meaningful.
import { join } from "node:path";
import type { Stack } from "#test/support/stack.ts";
import { childReady, startChild } from "../devnet/child.ts";
import { freePort } from "../devnet/ports.ts";
import { parseCommand } from "../shared/command-line.ts";
import { root } from "../shared/paths.ts";
import { answers } from "../shared/wait.ts";
import { latencyUnder } from "./even-load.ts";
import { compare, type Options, startSteadyLoad } from "./shared/load.ts";
import { NEW } from "./shared/operations.ts";
import { runParts, say } from "./shared/report.ts";

const HELP = `Measures the API's throughput as a ratio to a bare handler's (alternating in the same run), the latency that the API adds
at half load, and the effect of table size.

  npm run bench:api -- [PART…]

  PART   throughput, shared (a second replica serves requests with the same key), growth (default: all)

Exits with 1 if a bar is missed.`;

const { positionals } = parseCommand(HELP, {});

// These modules are loaded only after the arguments have been validated.
const { startStack } = await import("#test/support/stack.ts");
const { startAnotherApi } = await import("#test/support/another-api.ts");
const { measureGrowth } = await import("./table-size.ts");

const POOL = "10";
/** Requests per second to the replica that is not measured. */
const OTHER_REPLICA_RATE = 50;
/** Minimum share of the target rate that must be reached for the latency to be meaningful. */
const REACHED = 0.9;
/** The API's thresholds. */
const BARS = { retrieve: 0.6, create: 0.5, addedLatencyMs: 2, growth: 1.3 };

const UNLIMITED = Object.fromEntries(
  ["TEST_MINUTE", "TEST_HOUR", "TEST_RETRIEVE", "TEST_CREATE", "TEST_CONFIRM", "ADDRESS"].map((name) => [
    `RATE_LIMIT_${name}`,
    "1000000000",
  ]),
);

const BODY = JSON.stringify(NEW);

/** Runs a task on a separate gateway. */
async function onStack<Result>(
  env: Record<string, string>,
  work: (stack: Stack, apiKey: string) => Promise<Result>,
): Promise<Result> {
  const stack = await startStack({
    node: "hardhat",
    blockIntervalMs: 1_000,
    roles: ["indexer", "api"],
    env: { DATABASE_POOL: POOL, LOG_LEVEL: "warn", LOG_REQUESTS: "false", ...UNLIMITED, ...env },
  });
  try {
    return await work(stack, stack.merchants[0]?.apiKey ?? "");
  } finally {
    await stack.stop();
  }
}

async function startBareServer(stack: Stack, template: string) {
  const port = await freePort();
  const server = await startChild({
    name: "bare server",
    command: [process.execPath, join(root, "scripts/bench/bare-server.ts")],
    env: {
      DATABASE_URL: stack.databaseUrl,
      DATABASE_POOL: POOL,
      PORT: String(port),
      BARE_TEMPLATE: template,
    },
    cwd: root,
    log: join(stack.logs, "bare.log"),
  });
  await childReady(server, 10_000, () => answers(`http://127.0.0.1:${port}/ready`));
  return { url: `http://127.0.0.1:${port}/intents`, stop: () => server.stop() };
}

/** @returns whether every threshold of the operations was met */
async function throughput(
  stack: Stack,
  apiKey: string,
  operations: readonly ("retrieve" | "create")[] = ["retrieve", "create"],
): Promise<boolean> {
  const headers = { "x-api-key": apiKey, "content-type": "application/json" };
  const url = `${stack.baseUrl.replace("localhost", "127.0.0.1")}/payment-intents`;
  const ids = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const response = await fetch(url, { method: "POST", headers, body: BODY });
      return ((await response.json()) as { id: string }).id;
    }),
  );
  const server = await startBareServer(stack, ids[0] ?? "");
  // Each request retrieves a different intent, so that no two requests can share a response.
  const each = (base: string) => ids.map((id) => ({ path: `${new URL(base).pathname}/${id}` }));
  const retrieve: [Options, Options] = [
    { url, headers, requests: each(url) },
    { url: server.url, headers, requests: each(server.url) },
  ];
  const create: [Options, Options] = [
    { url, method: "POST", headers, body: BODY },
    { url: server.url, method: "POST", headers, body: BODY },
  ];
  let met = true;
  try {
    for (const name of operations) {
      const pair = { retrieve, create }[name];
      const { ours, bare, ratio, spread } = await compare(...pair);
      const bar = BARS[name];
      met &&= ratio >= bar;
      say(
        name,
        `${ours}/s against ${bare}/s bare: ratio ${ratio.toFixed(2)} ` +
          `(${spread.map((value) => value.toFixed(2)).join(" to ")}), bar ${bar}`,
      );
      if (name !== "retrieve") continue;
      const rate = Math.floor(ours / 2);
      const [floor, own] = [await latencyUnder(pair[1], rate), await latencyUnder(pair[0], rate)];
      const added = own.median - floor.median;
      // A busy machine may not reach half of its previous rate; the latency is then not meaningful.
      const isReached = Math.min(own.sent, floor.sent) >= rate * REACHED;
      met &&= isReached && added < BARS.addedLatencyMs;
      say(
        "latency",
        `median ${own.median.toFixed(2)} ms against ${floor.median.toFixed(2)} ms bare at ${rate}/s, half load: ` +
          `${added.toFixed(2)} ms added, bar ${BARS.addedLatencyMs} ms` +
          (isReached ? "" : `; load not reached: sent ${own.sent}/s, and ${floor.sent}/s bare`),
      );
    }
  } finally {
    await server.stop();
  }
  return met;
}

/** Measures a replica while a second one serves requests with the same key. @returns whether every threshold was met */
async function sharedLimits(stack: Stack, apiKey: string): Promise<boolean> {
  const replica = await startAnotherApi({ ...stack, stop: async () => undefined }, {});
  const other = startSteadyLoad(
    {
      url: `${replica.baseUrl.replace("localhost", "127.0.0.1")}/payment-intents`,
      headers: { "x-api-key": apiKey },
    },
    OTHER_REPLICA_RATE,
  );
  try {
    return await throughput(stack, apiKey, ["retrieve"]);
  } finally {
    const answered = await other.stop();
    say("replica", `${answered} requests with the same key answered by the second replica`);
    await replica.stop();
  }
}

/** @returns whether every bar was met */
async function growth(small: Stack, apiKey: string): Promise<boolean> {
  const measured = await onStack({}, (large, largeKey) =>
    measureGrowth({ ...small, apiKey }, { ...large, apiKey: largeKey }),
  );
  for (const { name, few, many, ratio } of measured) {
    say(
      "growth",
      `${name.padEnd(34)} ${few.toFixed(2)} ms, ${many.toFixed(2)} ms: ratio ${ratio.toFixed(2)}`,
    );
  }
  const worst = Math.max(...measured.map(({ ratio }) => ratio));
  say("growth", `worst ratio ${worst.toFixed(2)}, bar ${BARS.growth}`);
  return worst <= BARS.growth;
}

await runParts(positionals, {
  throughput: () => onStack({}, throughput),
  shared() {
    console.log(
      `With shared limits: ${OTHER_REPLICA_RATE} requests per second with the same key reach a second replica.`,
    );
    return onStack({}, sharedLimits);
  },
  growth: () => onStack({}, growth),
});
