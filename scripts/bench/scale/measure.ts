// Measurements of a running gateway: the cost of idling, the cost of a payment, and latencies.
import type { Client } from "pg";
import { until } from "#scripts/shared/wait.ts";
import { measureLatency } from "../indexer/live.ts";
import { measureLatencies } from "../settlement/latency.ts";
import { median } from "../shared/load.ts";
import { EventFeed } from "./event-feed.ts";
import { KINDS, type Kind } from "./kinds.ts";
import type { MeasuredGateway } from "./measured-gateway.ts";
import { type SentPart, sentParts } from "./parts.ts";
import { Player } from "./player.ts";
import { readStatements, resetStatements, type Statements, sent } from "./statements.ts";
import type { Played } from "./templates.ts";

const TIMEOUT_MS = 180_000;
const IDLE_MS = Number(process.env.BENCH_IDLE_MS ?? 20_000);
const LIVES = Number(process.env.BENCH_LIVES ?? 50);
const LATENCIES = Number(process.env.BENCH_PAYMENTS ?? 10);
/** Number of payments per kind and merchant. */
const DUE = Number(process.env.BENCH_DUE ?? 3);
const PAUSE_MS = 100;

/** A reading of the database's counters. */
type Done = { at: number; commits: number; wal: number };

async function readDone(client: Client): Promise<Done> {
  // Sessions report their statistics about once per second, so the counters may lag behind.
  const { rows } = await client.query<{ commits: number; wal: number }>(
    `select (xact_commit + xact_rollback)::float8 as commits,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal
     from pg_stat_database where datname = current_database()`,
  );
  return { at: performance.now(), commits: rows[0]?.commits ?? 0, wal: rows[0]?.wal ?? 0 };
}

/** Rates per second: transactions and WAL bytes of the database, statements of API and settlement. */
export type Rate = { commits: number; wal: number; statements: number };

export type Idle = { rate: Rate; statements: Statements };

/**
 * Waits until all follow-up work is done: no new events or postings, no pending deliveries, and a fully sealed audit
 * log.
 */
export async function untilQuiet(client: Client): Promise<void> {
  let before = "";
  let since = performance.now();
  const isQuiet = async () => {
    const { rows } = await client.query<{ state: string }>(
      `select concat_ws(' ', (select string_agg(n_tup_ins::text, '/' order by relname) from pg_stat_user_tables
           where schemaname = 'gateway' and relname in ('event', 'ledger_posting')),
         (select last_value from gateway.audit_log_position_seq), (select max(last_position) from gateway.audit_seal),
         (select count(*) from gateway.webhook_delivery where next_attempt_at is not null)) as state`,
    );
    const { state = "" } = rows[0] ?? {};
    if (state !== before) since = performance.now();
    before = state;
    const [, audited, sealed, open] = state.split(" ");
    return performance.now() - since > 3_000 && audited === sealed && open === "0";
  };
  await until(isQuiet, { what: "Completion of all follow-up work", timeoutMs: TIMEOUT_MS });
}

/** Measures the gateway's activity while the chain has only empty blocks. */
export async function measureIdle({ client }: MeasuredGateway): Promise<Idle> {
  await resetStatements(client);
  const start = await readDone(client);
  await Bun.sleep(IDLE_MS);
  const end = await readDone(client);
  const statements = await readStatements(client);
  const seconds = (end.at - start.at) / 1_000;
  return {
    statements,
    rate: {
      commits: (end.commits - start.commits) / seconds,
      wal: (end.wal - start.wal) / seconds,
      statements: sent(statements, ["api", "settlement"]) / seconds,
    },
  };
}

/** Counts the benchmark's own statements, each of which is a separate transaction. */
function countQueries(client: Client): { client: Client; count: () => number } {
  let count = 0;
  const counting = new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "query") count++;
        return value.apply(target, args);
      };
    },
  });
  return { client: counting, count: () => count };
}

export type Life = { payments: number; statements: number; commits: number; wal: number; parts: SentPart[] };

async function play(gateway: MeasuredGateway, feed: EventFeed, kind: Kind, times: number): Promise<Played[]> {
  const { payments, stack } = gateway;
  const played: Promise<Played>[] = [];
  for (let i = 0; i < times; i++) {
    for (const merchant of stack.merchants) {
      const player = new Player(payments, feed, merchant);
      const { name, open, share } = kind;
      played.push(
        kind
          .play(player)
          .then(() => ({ kind: name, open, share, intentId: player.id, reference: player.reference })),
      );
      await Bun.sleep(PAUSE_MS);
    }
  }
  return Promise.all(played);
}

/** The number of payments that `playAll` starts. */
export const wanted = ({ stack }: MeasuredGateway): number => KINDS.length * DUE * stack.merchants.length;

/**
 * Takes payments of every kind to their expected state.
 * @returns the payments of each kind whose payments all reached it; failures are printed
 */
export async function playAll(gateway: MeasuredGateway, times = DUE, kinds = KINDS): Promise<Played[]> {
  const feed = new EventFeed(gateway.client, TIMEOUT_MS);
  const results = await Promise.allSettled(kinds.map((kind) => play(gateway, feed, kind, times)));
  return results.flatMap((result, index) => {
    if (result.status === "fulfilled") return result.value;
    console.log(
      `${kinds[index]?.name}: ${result.reason instanceof Error ? result.reason.message : result.reason}`,
    );
    return [];
  });
}

/**
 * Measures the cost of a payment from its creation to FINAL, without the cost of idling. Half of the payments have
 * webhooks.
 */
export async function measureLife(gateway: MeasuredGateway, { rate }: Idle): Promise<Life> {
  const [kind] = KINDS;
  if (!kind) throw new Error("No kinds of payments are defined.");
  const { client, count } = countQueries(gateway.client);
  await resetStatements(gateway.client);
  const start = await readDone(gateway.client);
  const queries = count();
  const { length } = await play(gateway, new EventFeed(client, TIMEOUT_MS), kind, LIVES);
  await untilQuiet(client);
  const end = await readDone(gateway.client);
  const statements = await readStatements(gateway.client);
  const seconds = (end.at - start.at) / 1_000;
  const each = (total: number, idle: number) => (total - idle * seconds) / length;
  return {
    payments: length,
    statements: each(sent(statements, ["api", "settlement"]), rate.statements),
    commits: each(end.commits - start.commits - (count() - queries), rate.commits),
    wal: each(end.wal - start.wal, rate.wal),
    parts: sentParts(statements, length),
  };
}

/** Medians, in milliseconds. */
export type Latencies = { settled: number; planned: number; shown: number };

export async function measureWaits({ payments }: MeasuredGateway): Promise<Latencies> {
  const shown = await measureLatency(payments, LATENCIES);
  const { settled, planned } = await measureLatencies(payments, LATENCIES);
  await payments.control.setIntervalMining({ interval: payments.config.chain.blockTime });
  return { settled: median(settled), planned: median(planned), shown: median(shown) };
}
