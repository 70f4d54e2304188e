// `npm run bench:api`: the API's throughput as a ratio to a bare handler's, both measured in turns in the same run, and
// the latency that the API adds at half load. Machines differ and are noisy: only ratios and differences mean anything.
import { join } from "node:path";
import autocannon, { type Options, type Result } from "autocannon";
import { startStack } from "#test/support/stack.ts";
import { startChild } from "./local/child.ts";
import { root } from "./local/paths.ts";
import { freePort } from "./local/ports.ts";
import { answers, until } from "./local/wait.ts";

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const CONNECTIONS = 32;
const POOL = "10";
/** What the issue asks for. */
const BARS = { retrieve: 0.6, create: 0.5, addedLatencyMs: 2 };

const UNLIMITED = Object.fromEntries(
  ["TEST_MINUTE", "TEST_HOUR", "TEST_RETRIEVE", "TEST_CREATE", "TEST_CONFIRM", "ADDRESS"].map((name) => [
    `RATE_LIMIT_${name}`,
    "1000000000",
  ]),
);

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function load(options: Options): Promise<Result> {
  const result = await autocannon({ connections: CONNECTIONS, duration: SECONDS, ...options });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0)
    throw new Error(`${bad} of ${result.requests.total} requests to ${options.url} were not answered 200.`);
  return result;
}

/** Throughput of both in turns, so that a slow moment of the machine meets both. */
async function compare(ours: Options, bare: Options) {
  const rates: { ours: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const floor = (await load(bare)).requests.average;
    const rate = (await load(ours)).requests.average;
    // The first round warms both up.
    if (round > 0) rates.push({ ours: rate, bare: floor });
  }
  const ratios = rates.map(({ ours: rate, bare: floor }) => rate / floor);
  return {
    ours: Math.round(median(rates.map((rate) => rate.ours))),
    bare: Math.round(median(rates.map((rate) => rate.bare))),
    ratio: median(ratios),
    spread: [Math.min(...ratios), Math.max(...ratios)] as const,
  };
}

/** Milliseconds that the API's median is above the bare handler's, both at half of what the API can take. */
async function addedLatency(ours: Options, bare: Options, rate: number) {
  const half = { overallRate: Math.floor(rate / 2), connections: 8 };
  const [floor, own] = [await load({ ...bare, ...half }), await load({ ...ours, ...half })];
  return { ours: own.latency.p50, bare: floor.latency.p50, added: own.latency.p50 - floor.latency.p50 };
}

async function createIntents(count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`${stack.baseUrl}/payment-intents`, { method: "POST", headers, body });
      const { id: created } = (await response.json()) as { id: string };
      return created;
    }),
  );
}

const stack = await startStack({
  blockIntervalMs: 1_000,
  roles: ["indexer", "api"],
  env: { DATABASE_POOL: POOL, LOG_LEVEL: "warn", LOG_REQUESTS: "false", ...UNLIMITED },
});
const port = await freePort();
const apiKey = stack.merchants[0]?.apiKey ?? "";
const headers = { "x-api-key": apiKey, "content-type": "application/json" };
const body = JSON.stringify({
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
  metadata: { orderId: "A1" },
});
const ids = await createIntents(200);
const [id = ""] = ids;
const bareServer = await startChild({
  name: "bare",
  command: [process.execPath, join(root, "scripts/bench/bare-server.ts")],
  env: { DATABASE_URL: stack.databaseUrl, DATABASE_POOL: POOL, PORT: String(port), BARE_TEMPLATE: id },
  cwd: root,
  log: join(stack.logs, "bare.log"),
});
let missed = false;
try {
  await until(() => answers(`http://127.0.0.1:${port}/ready`), {
    what: "The bare server being ready",
    timeoutMs: 10_000,
    check() {
      if (bareServer.ended() !== null) throw new Error(`The bare server ended.\n${bareServer.tail()}`);
    },
  });
  const base = stack.baseUrl.replace("localhost", "127.0.0.1");
  const bare = `http://127.0.0.1:${port}/intents`;
  // Every request asks for another intent, so that no two can share an answer.
  const retrieve: [Options, Options] = [
    { url: base, headers, requests: ids.map((one) => ({ path: `/api/v1/payment-intents/${one}` })) },
    { url: bare, headers, requests: ids.map((one) => ({ path: `/intents/${one}` })) },
  ];
  const create: [Options, Options] = [
    { url: `${base}/payment-intents`, method: "POST", headers, body },
    { url: bare, method: "POST", headers, body },
  ];
  for (const [name, pair] of Object.entries({ retrieve, create })) {
    const { ours, bare: floor, ratio, spread } = await compare(...pair);
    const bar = BARS[name as "retrieve" | "create"];
    missed ||= ratio < bar;
    console.log(
      `${name.padEnd(9)} ${ours}/s against ${floor}/s bare: ratio ${ratio.toFixed(2)} ` +
        `(${spread.map((value) => value.toFixed(2)).join(" to ")}), bar ${bar}`,
    );
    if (name !== "retrieve") continue;
    const latency = await addedLatency(...pair, ours);
    missed ||= latency.added >= BARS.addedLatencyMs;
    console.log(
      `latency   median ${latency.ours} ms against ${latency.bare} ms bare at half load: ` +
        `${latency.added} ms added, bar ${BARS.addedLatencyMs} ms`,
    );
  }
} finally {
  await bareServer.stop();
  await stack.stop();
}
process.exit(missed ? 1 : 0);
