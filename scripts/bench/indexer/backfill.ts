// Measures the backfill speed of the indexer against a baseline Ponder app whose handlers insert one row per event.
// Both index the same chain with the same version and configuration, in alternating runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { childReady, startBunChild } from "#scripts/devnet/child.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { startRoleProcess } from "#scripts/devnet/roles.ts";
import { root } from "#scripts/shared/paths.ts";
import { type Stack, startStack } from "#test/support/stack.ts";
import { fillChain } from "./busy-chain.ts";

const EVENTS = Number(process.env.BENCH_EVENTS ?? 50_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const TIMEOUT_MS = 300_000;
const PONDER = join(root, "node_modules/ponder/dist/esm/bin/ponder.js");

/** Ponder's log messages when the backfill starts, and when all data is available. */
const START_MESSAGE = { msg: "Started backfill indexing" };
const READY_MESSAGE = { msg: "Started returning 200 responses", endpoint: "/ready" };

const INDEXED = "Indexed block range";

type LogLine = { time: number; msg: string; endpoint?: string; duration?: number };

const parseLines = (log: string): LogLine[] =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

const apps = {
  ours: (env: Record<string, string>, log: string) => startRoleProcess("indexer", env, log),
  baseline: (env: Record<string, string>, log: string) =>
    startBunChild({
      name: "baseline indexer",
      args: [
        ...[PONDER, "start", "--root", join(root, "scripts/bench/one-row-indexer")],
        ...["--config", "../../../ponder.config.ts", "--schema", "one_row", "--log-format", "json"],
      ],
      env: { ...env, PORT: env.INDEXER_PORT ?? "", PONDER_TELEMETRY_DISABLED: "1" },
      cwd: root,
      log,
    }),
};
type App = keyof typeof apps;

/** Drops both apps' schemas and Ponder's RPC cache, so that each run starts from scratch. */
async function dropIndexerSchemas(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select nspname as name from pg_namespace where nspname ~ '^(chain|chain_.*|one_row|ponder_sync)$'",
  );
  for (const { name } of rows) await client.query(`drop schema ${client.escapeIdentifier(name)} cascade`);
  await client.query("checkpoint");
  await client.end();
}

/** Seconds from the start of the backfill until /ready returns 200, and the part that Ponder reports for indexing. */
type BackfillSeconds = { total: number; handlers: number };

async function backfill(stack: Stack, app: App, round: number): Promise<BackfillSeconds> {
  await dropIndexerSchemas(stack.databaseUrl);
  const log = join(stack.logs, `${app}-${round}.log`);
  const child = await apps[app]({ ...stack.environment, INDEXER_PORT: String(await freePort()) }, log);
  const findLogTime = ({ msg, endpoint }: Pick<LogLine, "msg" | "endpoint">) =>
    parseLines(log).find((line) => line.msg === msg && line.endpoint === endpoint)?.time;
  await childReady(child, TIMEOUT_MS, () => findLogTime(READY_MESSAGE) !== undefined);
  await child.stop();
  const indexed = parseLines(log).filter(({ msg }) => msg === INDEXED);
  return {
    total: ((findLogTime(READY_MESSAGE) ?? 0) - (findLogTime(START_MESSAGE) ?? 0)) / 1_000,
    handlers: indexed.reduce((sum, { duration = 0 }) => sum + duration, 0) / 1_000,
  };
}

export type Round = { events: number; ours: BackfillSeconds; baseline: BackfillSeconds };

export async function measureBackfill(): Promise<Round[]> {
  const stack = await startStack({ node: "hardhat", roles: [] });
  try {
    const events = await fillChain(stack, EVENTS);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const baseline = await backfill(stack, "baseline", round);
      const ours = await backfill(stack, "ours", round);
      rounds.push({ events, ours, baseline });
    }
    return rounds;
  } finally {
    await stack.stop();
  }
}
