// A database in which a test defines the chain's state, with the settlement components but without a chain or an
// indexer.
import type { PgBoss } from "pg-boss";
import pino from "pino";
import { type Address, createPublicClient, custom, numberToHex, zeroHash } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import type { ChainClient } from "#core/chain/client.ts";
import type { Terms } from "#core/chain/terms.ts";
import { readConfig } from "#core/config/config.ts";
import { readTokens } from "#core/config/token-config.ts";
import { connect, type Database } from "#core/db/client.ts";
import { deployment as deploymentTable } from "#core/db/schema/deployments.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { createIndexerGuard } from "#core/indexer-state/guard.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { Relayer } from "#core/relayer/relayer.ts";
import { hardhatChain } from "#scripts/devnet/hardhat-chain.ts";
import type { OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import { startQueue } from "#settlement/payouts/payout-queue.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { BUILD, CHAIN_ID, ChainTables } from "./chain-tables.ts";
import { type IntentChange, insertIntent, type Parties, type TestIntent } from "./intents.ts";
import { takeWorldDatabase } from "./world-database.ts";

export const CONTRACT: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
export const PAYER: Address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const USDC: Address = "0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9";
const TOKENS = JSON.stringify({
  USDC,
  USDT: "0xDc64a140Aa3E981100a9becA4E685f962f0cF6C9",
  DAI: "0x5FC8d32690cc91D4c39d9d3abcBD16989F875707",
});
/** The address of the gateway's off-ramp wallet. */
export const OFF_RAMP: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
export const MERCHANT = "merchant_7e570000000000000001";

const operatorKey = generatePrivateKey();

const PARTIES: Parties = {
  merchantId: MERCHANT,
  payee: OFF_RAMP,
  operator: privateKeyToAddress(operatorKey),
  offRamp: OFF_RAMP,
};

export function configFor(databaseUrl: string, more: Record<string, string> = {}) {
  return readConfig({
    GATEWAY_ENV: "local",
    DATABASE_URL: databaseUrl,
    RPC_URL: "http://127.0.0.1:1",
    CHAIN_ID: String(CHAIN_ID),
    CONTRACT_ADDRESS: CONTRACT,
    TOKENS,
    OPERATOR_KEY: operatorKey,
    ARBITER_KEY: `0x${"7".repeat(64)}`,
    OFF_RAMP_ADDRESS: OFF_RAMP,
    BASE_URL: "http://localhost",
    PAYMENT_PAGE_URL: "http://localhost",
    RETURN_WINDOW: "60",
    ...more,
  });
}

/** By default, every account has this balance of any token. */
const PLENTY: Answers = { eth_call: () => numberToHex(10n ** 30n, { size: 32 }) };

/** The chain's responses by RPC method. Other methods fail like an unreachable node. */
export type Answers = Record<string, (parameters: unknown[]) => unknown>;

const clientOf = (answers: Answers): ChainClient =>
  createPublicClient({
    chain: hardhatChain,
    transport: custom(
      {
        async request({ method, params }: { method: string; params?: unknown[] }) {
          const answer = answers[method] ?? PLENTY[method];
          if (!answer) throw new Error(`The test's chain has no answer to ${method}.`);
          return answer(params ?? []);
        },
      },
      { retryCount: 0 },
    ),
  });

type WorldOptions = { offRamps?: (database: Database) => OffRamps; answers?: Answers; lagMs?: number };

export type World = {
  databaseUrl: string;
  context: Context;
  chain: ChainTables;
  addIntent(more?: IntentChange, change?: Partial<Terms>): Promise<TestIntent>;
  close(): Promise<void>;
};

/** Starts the queue when it is first used, because most tests do not use it. */
function startLazily(start: () => Promise<PgBoss>): PgBoss {
  type Methods = Record<string | symbol, (...args: unknown[]) => unknown>;
  let started: Promise<PgBoss> | undefined;
  return new Proxy({} as PgBoss, {
    get(_, name) {
      // Otherwise, an `await` of the queue would call this method.
      if (name === "then") return undefined;
      return async (...args: unknown[]) => {
        if (name === "stop" && !started) return;
        started ??= start();
        return ((await started) as unknown as Methods)[name]?.(...args);
      };
    },
  });
}

const noProvider: OffRamps = () => undefined;

/** Creates the settlement components on the database of a world. Another process may do the same. */
export async function enterWorld(databaseUrl: string, options: WorldOptions = {}): Promise<World> {
  const database = connect(databaseUrl, { application: "world" });
  return createWorld(databaseUrl, database, () => database.$client.end(), options);
}

/** @param leave called when the world has been closed */
async function createWorld(
  databaseUrl: string,
  database: Database,
  leave: () => Promise<void>,
  options: WorldOptions,
): Promise<World> {
  const config = configFor(databaseUrl);
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? "silent" });
  const client = clientOf(options.answers ?? {});
  const deployment: Deployment = await ensureDeployment(database);
  const guard = createIndexerGuard({ database, client, deployment, build: BUILD, lagMs: options.lagMs ?? 0 });
  const boss = startLazily(() => startQueue(databaseUrl, new Problems(log)));
  const context: Context = {
    config,
    log,
    database,
    reads: database,
    client,
    deployment,
    guard,
    reader: createIntentReader({ reads: database, config, guard }),
    relayer: new Relayer(database, client, deployment, config),
    guardian: undefined,
    boss,
    offRamps: options.offRamps?.(database) ?? noProvider,
  };
  return {
    databaseUrl,
    context,
    chain: new ChainTables(database),
    addIntent: (more, change) => insertIntent(database, deployment, PARTIES, more, change),
    async close() {
      await boss.stop({ graceful: false });
      await leave();
    },
  };
}

/** Creates a world in a database of its own, with the indexer's tables, a deployment and a merchant. */
export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const { url, database, release } = await takeWorldDatabase();
  const world = await createWorld(url, database, release, options);
  await world.chain.create();
  return world;
}

async function ensureDeployment(database: Database): Promise<Deployment> {
  await database
    .insert(deploymentTable)
    .values({
      chainId: CHAIN_ID,
      genesisHash: zeroHash,
      contract: CONTRACT,
      startBlock: 0,
      ...readTokens(TOKENS),
      wallets: [OFF_RAMP],
      current: true,
    })
    .onConflictDoNothing();
  await database
    .insert(merchant)
    .values({ id: MERCHANT, name: "Merchant", account: OFF_RAMP })
    .onConflictDoNothing();
  const [row] = await database.select().from(deploymentTable);
  if (!row) throw new Error("The deployment is not in the database.");
  return row;
}
