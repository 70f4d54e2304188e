// A failover to a lagging standby: the database loses its last seconds, but the chain and the providers do not.
// Operators recover it according to the runbook (docs/runbook.md, "Database restore").
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { runScript } from "#test/support/run-script.ts";
import type { World } from "./world.ts";

/** A recovery is repeated if the data changed while it was reading. */
const MOST_RECOVERIES = 5;

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

/** Works on the databases while no client is connected to the gateway's database. */
async function alone<T>(url: string, work: (admin: Client, name: string) => Promise<T>): Promise<T> {
  const adminUrl = new URL(url);
  adminUrl.pathname = "/postgres";
  const admin = new Client({ connectionString: adminUrl.href });
  admin.on("error", () => undefined);
  await admin.connect();
  const name = nameOf(url);
  try {
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
    return await work(admin, name);
  } finally {
    await admin.query(`alter database "${name}" allow_connections true`);
    await admin.end();
  }
}

/** Reads the mock bank's transfers, which are in the gateway's database but must survive the failover. */
async function readBook(world: World): Promise<string | undefined> {
  const [known] = await world.query<{ table: string | null }>(
    "select to_regclass('mock_bank.transfer')::text as table",
  );
  if (!known?.table) return undefined;
  const [row] = await world.query<{ book: string }>(
    "select coalesce(json_agg(t), '[]')::text as book from mock_bank.transfer t",
  );
  return row?.book;
}

async function writeBook(world: World, book: string | undefined): Promise<void> {
  if (book === undefined) return;
  await world.query("delete from mock_bank.transfer");
  await world.query(
    "insert into mock_bank.transfer select * from json_populate_recordset(null::mock_bank.transfer, $1::json)",
    [book],
  );
}

/** @returns the number of applied repairs. @throws Error if the recovery still reports differences */
async function recover({ stack }: World): Promise<number> {
  const given = ["recover", "--apply", "--by", "Ada", "--reason", "failover", "--days", "3", "--json"];
  let applied = 0;
  let last = "";
  for (let count = 0; count < MOST_RECOVERIES; count++) {
    const { output, errors, exitCode } = await runScript("ops.ts", given, {
      ...stack.environment,
      RPC_URL: stack.rpcUrl,
    });
    if (output.startsWith("{")) applied += (JSON.parse(output) as { applied: object[] }).applied.length;
    if (exitCode === 0) return applied;
    last = `${errors} ${output}`;
    await delay(1_000);
  }
  throw new Error(`The recovery does not end clean: ${last}`);
}

/**
 * @param forMs minimum time span of the lost writes
 * @param pay starts payments that are lost completely, and resolves when they have progressed as planned
 */
export async function failOver(world: World, forMs: number, pay: () => Promise<void>): Promise<number> {
  const { databaseUrl } = world.stack;
  const copy = `${nameOf(databaseUrl)}_standby`;
  await alone(databaseUrl, async (admin, name) => {
    await admin.query(`create database "${copy}" template "${name}" strategy file_copy`);
  });
  await Promise.all([delay(forMs), pay()]);
  world.settlementDied = true;
  const { processes } = world;
  const resume = new Map(await Promise.all(processes.map(async (one) => [one, await one.pause()] as const)));
  try {
    const book = await readBook(world);
    await alone(databaseUrl, async (admin, name) => {
      await admin.query(`drop database "${name}"`);
      await admin.query(`alter database "${copy}" rename to "${name}"`);
      await admin.query(`alter database "${name}" set synchronous_commit = on`);
    });
    await writeBook(world, book);
    const { indexer } = world.roles;
    resume.get(indexer)?.();
    await indexer.untilReady();
    await world.untilCaughtUp();
    return 1 + (await recover(world));
  } finally {
    for (const go of resume.values()) go();
    await world.untilReady();
  }
}
