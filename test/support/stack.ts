// A full gateway for one test: a separate database, chain, contracts and processes, all real, on separate ports.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client } from "pg";
import { pino } from "pino";
import { privateKeyToAddress } from "viem/accounts";
import { ensurePagesBuilt } from "#scripts/devnet/build-pages.ts";
import { type ChainOptions, startChain } from "#scripts/devnet/chain.ts";
import type { Child } from "#scripts/devnet/child.ts";
import { ensureCompiled } from "#scripts/devnet/compile-contracts.ts";
import type { LocalFile } from "#scripts/devnet/local-file.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { createDatabase, startPostgres, stopAndDeletePostgres } from "#scripts/devnet/postgres.ts";
import {
  type Environment,
  ROLES,
  type Role,
  roleProcessReady,
  startRoleProcess,
  webhookUrl,
} from "#scripts/devnet/roles.ts";
import { newSecrets } from "#scripts/devnet/secrets.ts";
import { setUpGateway } from "#scripts/devnet/set-up-gateway.ts";
import { openTestFolder, type TestFolder } from "#scripts/devnet/test-folder.ts";
import { type SimulatedProvider, startProvider } from "#scripts/provider/provider.ts";
import { migrate } from "#scripts/shared/migrate.ts";
import { createPrivateFolder } from "#scripts/shared/paths.ts";
import { startQueue } from "#settlement/payouts/payout-queue.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { createSyncTables } from "./indexer-tables.ts";

export interface StackOptions {
  /** Interval of the chain's blocks, including empty ones. By default, blocks follow activity. */
  blockIntervalMs?: number;
  /**
   * Default: anvil, if the platform has a binary. Benchmarks use Hardhat's node, on which their earlier results were
   * measured.
   */
  node?: ChainOptions["node"];
  /** The roles to start; `restart` can start others later. Default: all. */
  roles?: readonly Role[];
  /** Environment variables for all roles, which override the defaults below. */
  env?: Environment;
  /**
   * Whether API and settlement log in as a member of gateway_app that owns no tables (docs/audit-log.md). Default:
   * false.
   */
  asApplication?: boolean;
  /** Whether to use a separate PostgreSQL server, for tests that crash the database. Default: false. */
  ownPostgres?: boolean;
}

/** Duration of a transfer, in milliseconds. */
export const QUICK_TRANSFERS = { minMs: 200, maxMs: 500 };

/**
 * Short intervals, so that a payment takes seconds, limits that only the rate-limit tests reach, and fewer polls, because
 * several gateways share the machine.
 */
const QUICK: Environment = {
  WALLETCONNECT_PROJECT_ID: "0123456789abcdef0123456789abcdef",
  MOCK_PAYOUT_MIN_MS: String(QUICK_TRANSFERS.minMs),
  MOCK_PAYOUT_MAX_MS: String(QUICK_TRANSFERS.maxMs),
  POLL_INTERVAL_MS: "1000",
  BLOCK_POLL_MS: "200",
  ...Object.fromEntries(
    [
      ...["MINUTE", "HOUR", "RETRIEVE", "CREATE", "CONFIRM"].map((name) => `TEST_${name}`),
      "ADDRESS",
      "SESSION",
      "SIGN_IN",
      "SIGN_IN_ACCOUNT",
    ].map((name) => [`RATE_LIMIT_${name}`, "1000000000"]),
  ),
};

/** An empty block costs the gateway 15 ms of CPU time, so blocks without transactions are rare. */
const paceOf = ({ blockIntervalMs }: StackOptions) =>
  blockIntervalMs === undefined ? { blockIntervalMs: 400, idleBlockIntervalMs: 1_000 } : { blockIntervalMs };

export interface Stack extends LocalFile {
  /** The roles' settings. They suffice to run another instance, or its code in the test itself. */
  environment: Environment;
  /** The provider that executes transfers by OFF_RAMP_TO_RTP and OFF_RAMP_TO_BANK. */
  provider: SimulatedProvider;
  /** The database URL with the login of API and settlement. `databaseUrl` has the owner's login. */
  servingUrl: string;
  /** The folder of the process logs: chain.log, and one log per role. */
  logs: string;
  /** Kills the role's process with SIGKILL and resolves when it has exited. */
  kill(role: Role): Promise<void>;
  /** Stops the role's process gracefully if it is running, starts it again, and resolves when it is ready. */
  restart(role: Role): Promise<void>;
  /** Stops everything and drops the database. */
  stop(): Promise<void>;
}

/** Starts a gateway and resolves when every role is ready. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const folder = await testFolder();
  const database = `stack_${randomBytes(6).toString("hex")}`;
  const logs = createPrivateFolder(join(folder.logs, database));
  const server = options.ownPostgres ? await startServer(join(folder.folder, database), logs) : undefined;
  const admin = server?.adminUrl ?? (await adminUrl());
  const [databaseUrl, chain] = await Promise.all([
    testDatabase(database, admin),
    compiled().then(() =>
      startChain({ log: join(logs, "chain.log"), ...paceOf(options), node: options.node ?? "anvil" }),
    ),
    ensurePagesBuilt(),
  ]);
  const ports = {
    api: await freePort(),
    indexer: await freePort(),
    settlement: await freePort(),
    webhooks: await freePort(),
  };
  const secrets = newSecrets();
  const { environment: standard, local } = await setUpGateway({ databaseUrl, chain, secrets, ports });
  const provider = startProvider({
    webhookUrl: webhookUrl(ports.webhooks),
    walletAddress: privateKeyToAddress(secrets.offRamp),
    ...QUICK_TRANSFERS,
  });
  const environment = { ...standard, ...provider.environment, ...QUICK, ...options.env };

  const servingUrl = options.asApplication ? await createApplicationLogin(databaseUrl) : databaseUrl;

  const running = new Map<Role, Child>();
  const start = async (role: Role) => {
    const isServing = options.asApplication && role !== "indexer";
    const settings = isServing ? { ...environment, DATABASE_URL: servingUrl } : environment;
    const child = await startRoleProcess(role, settings, join(logs, `${role}.log`));
    running.set(role, child);
    await roleProcessReady(child, settings);
  };
  const stop = async () => {
    await Promise.all([...running.values()].map((child) => child.stop()));
    await Promise.all([chain.stop(), provider.stop()]);
    await (server?.stop() ?? dropDatabase(admin, database));
  };
  try {
    const roles = options.roles ?? ROLES;
    // Without the indexer's tables, statements of the other roles fail, and each failure closes a connection.
    if (roles.includes("indexer")) await start("indexer");
    await Promise.all(roles.filter((role) => role !== "indexer").map(start));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...local,
    environment,
    provider,
    servingUrl,
    logs,
    stop,
    async kill(role) {
      await running.get(role)?.stop({ signal: "SIGKILL" });
    },
    async restart(role) {
      await running.get(role)?.stop();
      await start(role);
    },
  };
}

/** Creates a login for API and settlement as described in docs/audit-log.md. */
export async function createApplicationLogin(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const [login, password] = [`app_${randomBytes(6).toString("hex")}`, randomBytes(12).toString("hex")];
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`CREATE ROLE ${login} LOGIN PASSWORD '${password}' IN ROLE gateway_app`);
    await client.query(
      `GRANT CREATE ON DATABASE ${client.escapeIdentifier(url.pathname.slice(1))} TO ${login}`,
    );
    // The settlement role creates the queue's schema, which then belongs to this login.
    await client.query("DROP SCHEMA pgboss CASCADE");
  } finally {
    await client.end();
  }
  Object.assign(url, { username: login, password });
  return url.href;
}

/** Creates a migrated database on the test run's PostgreSQL server, for tests that need no running gateway. */
export async function testDatabase(
  name = `test_${randomBytes(6).toString("hex")}`,
  admin?: string,
): Promise<string> {
  const server = admin ?? (await adminUrl());
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    await ensureTemplate(client, server);
    // The default strategy writes every page to the WAL, which takes longer than the two checkpoints of this one.
    await client.query(
      `CREATE DATABASE ${client.escapeIdentifier(name)} TEMPLATE ${TEMPLATE} STRATEGY FILE_COPY`,
    );
  } finally {
    await client.end();
  }
  return databaseOn(server, name);
}

const TEMPLATE = "migrated";

function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Ensures that the template exists from which databases are copied. It is migrated and has the tables of the queue and
 * the indexer. On each server, one process creates the template, and the others wait.
 */
async function ensureTemplate(client: Client, server: string): Promise<void> {
  const exists = async () =>
    (await client.query("SELECT FROM pg_database WHERE datname = $1", [TEMPLATE])).rowCount !== 0;
  if (await exists()) return;
  await client.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [TEMPLATE]);
  if (!(await exists())) {
    // The template gets its final name only once it is complete.
    const draft = `${TEMPLATE}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft}`);
    await createDatabase(server, draft);
    await migrate(databaseOn(server, draft));
    const queue = await startQueue(databaseOn(server, draft), new Problems(pino({ level: "silent" })));
    await queue.stop({ graceful: false });
    await createSyncTables(databaseOn(server, draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${TEMPLATE}`);
  }
  await client.query("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [TEMPLATE]);
}

let ownFolder: Promise<TestFolder> | undefined;
let ownPostgres: Promise<string> | undefined;
let ownCompilation: Promise<void> | undefined;

/** Returns the runner's folder or, without a runner, a folder for this process. */
function testFolder(): Promise<TestFolder> {
  const folder = process.env.TEST_FOLDER;
  ownFolder ??= folder
    ? Promise.resolve({ folder, postgres: join(folder, "postgres"), logs: join(folder, "logs") })
    : openTestFolder();
  return ownFolder;
}

async function startServer(folder: string, logs: string) {
  const postgres = await startPostgres({ folder, log: join(logs, "postgres.log"), durable: false });
  return {
    adminUrl: postgres.url("postgres"),
    async stop() {
      await postgres.stop();
      await stopAndDeletePostgres(folder);
    },
  };
}

/**
 * Returns the admin URL of the runner's PostgreSQL server or, without a runner, of a server that exits with this
 * process.
 */
function adminUrl(): Promise<string> {
  ownPostgres ??= process.env.TEST_DATABASE_ADMIN_URL
    ? Promise.resolve(process.env.TEST_DATABASE_ADMIN_URL)
    : startOwnPostgres();
  return ownPostgres;
}

async function startOwnPostgres(): Promise<string> {
  const folder = await testFolder();
  const postgres = await startPostgres({
    folder: folder.postgres,
    log: join(folder.logs, "postgres.log"),
    durable: false,
  });
  return postgres.url("postgres");
}

/** Compiles the contracts, unless the runner has already compiled them. */
function compiled(): Promise<void> {
  ownCompilation ??= process.env.TEST_CONTRACTS_COMPILED
    ? Promise.resolve()
    : testFolder().then(({ logs }) => ensureCompiled(join(logs, "compiler.log")));
  return ownCompilation;
}

async function dropDatabase(admin: string, name: string): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  try {
    await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(name)} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
