// An embedded Postgres, for `npm start` or for a test run.
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { until } from "../shared/wait.ts";
import { type Child, startChild } from "./child.ts";
import { freePort } from "./ports.ts";
import { type PostgresHome, postgresFolder, preparePostgresHome, withSecretFile } from "./postgres-home.ts";
import type { KeeperTask } from "./postgres-keeper.ts";
import { stopOrphanedPostgres } from "./postgres-orphan.ts";

const ROLE = "gateway";

/** Settings of a test run, which trades durability for speed: its data need not survive a machine crash. */
const NOT_DURABLE = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];

export interface PostgresOptions {
  /** A folder in the checkout; root's Postgres is stored elsewhere under this name (postgres-home.ts). */
  folder: string;
  log: string;
  /** Default: any free port. */
  port?: number;
  /** Whether committed data survives a machine crash. Default true. */
  durable?: boolean;
  /** Further settings, as `name=value`. */
  settings?: readonly string[];
}

export interface Postgres {
  port: number;
  /** The connection URL of a database on this server. */
  url(database: string): string;
  /** Creates the database if it is missing, and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** The process that runs the server and exits with it. */
  keeper: Child;
  /** Ends all sessions, writes all data, and resolves when the server has exited. */
  stop(): Promise<void>;
}

/** Starts the server of this folder, creating its database cluster if necessary. First stops an orphaned server. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const durable = options.durable ?? true;
  const home = preparePostgresHome(options.folder);
  await stopOrphanedPostgres(home.data);
  if (!existsSync(join(home.data, "PG_VERSION"))) await createCluster(home, options.log, durable);
  const port = options.port ?? (await freePort());
  const url = (database: string) => `postgresql://${ROLE}:${home.password}@127.0.0.1:${port}/${database}`;
  const { log, settings = [] } = options;
  const keeper = await startServer(home, { port, durable, settings, log, url: url("postgres") });
  return {
    port,
    url,
    keeper,
    createDatabase: async (name) => {
      await createDatabase(url("postgres"), name);
      return url(name);
    },
    // The keeper forwards the signal. Killing the keeper would leave the server running until the next start, so the
    // grace period is long.
    stop: () => keeper.stop({ graceMs: 30_000 }),
  };
}

/**
 * Stops the server of this folder, whichever process started it.
 * @returns whether it was running
 */
export function stopPostgres(wanted: string): Promise<boolean> {
  return stopOrphanedPostgres(join(postgresFolder(wanted), "data"));
}

/**
 * Stops the server of this folder if it is running, and deletes its data.
 * @returns whether there was any data
 */
export async function stopAndDeletePostgres(wanted: string): Promise<boolean> {
  const folder = postgresFolder(wanted);
  if (!existsSync(folder)) return false;
  await stopPostgres(wanted);
  rmSync(folder, { recursive: true, force: true });
  return true;
}

/** Creates a database on this server if it is missing. */
export async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}

async function createCluster(home: PostgresHome, log: string, durable: boolean): Promise<void> {
  // The cluster is created in a draft folder, so that it exists completely or not at all.
  const draft = `${home.data}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if (home.runAs) chownSync(draft, home.runAs.uid, home.runAs.gid);
  await withSecretFile(home, async (passwordFile) => {
    const initdb = await startChild({
      name: "initdb",
      command: keeperCommand(home, [
        join(home.bin, "initdb"),
        `--pgdata=${draft}`,
        `--username=${ROLE}`,
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        // The password is random, so more iterations would only slow down connections.
        "--set=scram_iterations=1",
        "--encoding=UTF8",
        // This locale requires no installation, and sorts identically on every machine.
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
        "--no-instructions",
        ...(durable ? [] : ["--no-sync"]),
      ]),
      log,
    });
    const how = await initdb.exited;
    if (how !== "exit code 0")
      throw new Error(`The database could not be created (${how}).\n${initdb.tail()}`);
  });
  renameSync(draft, home.data);
}

interface ServerOptions {
  port: number;
  durable: boolean;
  settings: readonly string[];
  log: string;
  url: string;
}

/** Maximum wait while the processes of a killed predecessor exit and release its shared memory. */
const PREDECESSOR_MS = 15_000;
/** Starting includes replaying the WAL after a crash. */
const READY_MS = 60_000;

async function startServer(home: PostgresHome, options: ServerOptions): Promise<Child> {
  const deadline = Date.now() + PREDECESSOR_MS;
  for (;;) {
    const keeper = await startChild({
      name: "postgres",
      command: keeperCommand(home, serverCommand(home, options)),
      log: options.log,
    });
    await until(async () => keeper.ended() !== null || (await accepts(options.url)), {
      what: "Postgres accepting connections",
      timeoutMs: READY_MS,
    });
    if (keeper.ended() === null) return keeper;
    const said = keeper.tail();
    if (Date.now() > deadline || !said.includes("shared memory block")) {
      throw new Error(`Postgres did not start (${keeper.ended()}).\n${said}`);
    }
    await Bun.sleep(200);
  }
}

function serverCommand(home: PostgresHome, options: ServerOptions): [string, ...string[]] {
  const { port, durable } = options;
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    // TCP is sufficient, and a killed server could leave a socket file behind.
    "unix_socket_directories=",
    "max_connections=300",
    ...(durable ? [] : NOT_DURABLE),
    ...options.settings,
  ];
  return [join(home.bin, "postgres"), "-D", home.data, ...settings.flatMap((setting) => ["-c", setting])];
}

function keeperCommand(home: PostgresHome, command: [string, ...string[]]): [string, ...string[]] {
  const task: KeeperTask = { command, cwd: home.folder, runAs: home.runAs };
  return [process.execPath, join(import.meta.dir, "postgres-keeper.ts"), JSON.stringify(task)];
}

async function accepts(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Without a listener, a connection that is lost after the response would crash this process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    // Retrying will not fix a wrong password; any other error means that the server is not ready.
    if (error instanceof Error && error.message.includes("password")) throw error;
    return false;
  }
}
