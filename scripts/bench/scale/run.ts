// Runs the complete benchmark: creates templates on an empty database, then measures each size on the same database.
import type { Client } from "pg";
import { UserError } from "#scripts/shared/errors.ts";
import { createEndpoint } from "./endpoint.ts";
import { fill, LAST_HOUR, type Size } from "./fill.ts";
import { QUICK_KINDS } from "./kinds.ts";
import {
  type Idle,
  type Latencies,
  type Life,
  measureIdle,
  measureLife,
  measureWaits,
  playAll,
  untilQuiet,
  wanted,
} from "./measure.ts";
import { type MeasuredGateway, openGateway } from "./measured-gateway.ts";
import { type StoredPart, storedBytes, storedParts } from "./parts.ts";
import { startServer } from "./server.ts";
import { readStatements, resetStatements, type Statements } from "./statements.ts";
import { readTemplates, type Template } from "./templates.ts";

const GB = 2 ** 30;
/** Maximum size of the database in bytes. */
export const MOST_BYTES = 40 * GB;
/** Additional bytes for WAL and for the sorts of index builds. */
const BESIDES = 6 * GB;
/** Initial upper estimate of a payment's size, in bytes; 28,000 were measured. */
const BYTES_A_PAYMENT = 40_000;
/** Number of payments in one hour, at one per second. */
const CHURN = Number(process.env.BENCH_CHURN ?? 3_600);

export type Measured = {
  name: string;
  size: Size;
  bytes: number;
  idle: Idle;
  /** Measured with a second settlement process. */
  idleOfTwo: Idle;
  waits: Latencies;
  life: Life & { stored: number; storedParts: StoredPart[] };
  /** Payments that reached their expected state. */
  done: { wanted: number; fresh: number; churned: number };
  statements: { fresh: Statements; churned: Statements };
};

const log = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)}  ${text}`);

async function databaseBytes(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    "select pg_database_size(current_database())::float8 as bytes",
  );
  return rows[0]?.bytes ?? 0;
}

async function measureIdleOfTwo(gateway: MeasuredGateway): Promise<Idle> {
  const second = await gateway.startSecondSettlement();
  try {
    await untilQuiet(gateway.client);
    return await measureIdle(gateway);
  } finally {
    await second.stop({ graceMs: 30_000 });
  }
}

/**
 * Measures the statements of payments of every kind. Payments before them are not counted, because the first run of a
 * statement in a session also reads the catalog: 346 pages for an insert that then reads 8.
 */
async function loadStatements(gateway: MeasuredGateway): Promise<{ done: number; statements: Statements }> {
  await playAll(gateway, 1, QUICK_KINDS);
  await untilQuiet(gateway.client);
  await resetStatements(gateway.client);
  const { length } = await playAll(gateway);
  await untilQuiet(gateway.client);
  return { done: length, statements: await readStatements(gateway.client) };
}

/** Creates dead rows by rewriting every added row, as the workers do. */
async function churn(gateway: MeasuredGateway, templates: Template[], size: Size): Promise<void> {
  const { client } = gateway;
  const to = { payments: size.payments + CHURN, open: size.open + Math.round(CHURN / 50) };
  await fill(client, templates, size, to, { period: LAST_HOUR, keepIndexes: true });
  await client.query("set session_replication_role = replica");
  for (const table of ["intent", "payout", "transaction", "webhook_delivery"]) {
    await client.query(
      `update gateway.${table} set id = id where id in (select id from gateway.${table} order by ctid desc limit ${CHURN})`,
    );
  }
  await client.query("reset session_replication_role");
}

async function measureChurned(gateway: MeasuredGateway, templates: Template[], name: string, size: Size) {
  log(`${name}: churn`);
  await churn(gateway, templates, size);
  await gateway.start();
  log(`${name}: due work after churn`);
  try {
    return await loadStatements(gateway);
  } finally {
    await gateway.stop();
  }
}

async function measureSize(
  gateway: MeasuredGateway,
  templates: Template[],
  name: string,
  size: Size,
): Promise<Measured> {
  const { client } = gateway;
  log(`${name}: vacuum and start`);
  await client.query("vacuum analyze");
  const bytes = await databaseBytes(client);
  const settled = templates.filter(({ kind }) => kind === templates[0]?.kind);
  const stored = await storedParts(client, settled);
  await gateway.start();
  await untilQuiet(client);
  log(`${name}: idle`);
  const idle = await measureIdle(gateway);
  log(`${name}: payment life cycle`);
  const life = await measureLife(gateway, idle);
  log(`${name}: latencies`);
  const waits = await measureWaits(gateway);
  log(`${name}: due work`);
  const fresh = await loadStatements(gateway);
  log(`${name}: two settlement processes`);
  const idleOfTwo = await measureIdleOfTwo(gateway);
  await gateway.stop();
  // An empty database has no history to churn.
  const churned = size.payments === 0 ? fresh : await measureChurned(gateway, templates, name, size);
  return {
    ...{ name, size, bytes, idle, idleOfTwo, waits },
    life: { ...life, stored: storedBytes(stored), storedParts: stored },
    done: { wanted: wanted(gateway), fresh: fresh.done, churned: churned.done },
    statements: { fresh: fresh.statements, churned: churned.statements },
  };
}

const EMPTY: Size = { payments: 0, open: 0 };

/**
 * @param last the previous results, without dead rows
 * @throws UserError if the database would become too large
 */
function requireFits({ bytes, size }: Pick<Measured, "bytes" | "size">, to: Size): void {
  if (size.payments === 0) return;
  const each = bytes / size.payments;
  const expected = each * to.payments;
  if (expected <= MOST_BYTES) return;
  throw new UserError(
    `${to.payments} payments would take ${(expected / GB).toFixed(0)} GB at ${(each / 1_000).toFixed(0)} KB each; ` +
      `the benchmark is limited to ${MOST_BYTES / GB} GB.`,
  );
}

/**
 * Measures an empty database and then each size.
 * @param onMeasured called after each measurement
 */
export async function runScale(
  sizes: readonly (Size & { name: string })[],
  onMeasured: (measured: Measured) => void,
): Promise<void> {
  const largest = Math.max(...sizes.map(({ payments }) => payments));
  const room = Math.min(MOST_BYTES, largest * BYTES_A_PAYMENT) + BESIDES;
  const server = await startServer(room);
  let gateway: MeasuredGateway | undefined;
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      await gateway?.close();
      await server.stop();
    })();
    return closing;
  };
  const onSignal = () => {
    console.error("Stopping and removing all data.");
    void close().finally(() => process.exit(130));
  };
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const endpoint = createEndpoint();
  try {
    gateway = await openGateway();
    await gateway.start();
    await endpoint.register(gateway.stack);
    log("a payment of each kind for each merchant");
    const played = await playAll(gateway, 1);
    await untilQuiet(gateway.client);
    const templates = await readTemplates(gateway.client, played);
    await gateway.stop();
    let last = await measureSize(gateway, templates, "empty", EMPTY);
    onMeasured(last);
    let before = EMPTY;
    for (const { name, ...size } of sizes) {
      requireFits(last, size);
      log(`${name}: fill`);
      const start = performance.now();
      await fill(gateway.client, templates, before, size);
      log(`${name}: filled in ${((performance.now() - start) / 1_000).toFixed(0)} s`);
      last = await measureSize(gateway, templates, name, size);
      onMeasured(last);
      before = { payments: size.payments + CHURN, open: size.open + Math.round(CHURN / 50) };
    }
  } finally {
    endpoint.stop();
    await close();
  }
}
