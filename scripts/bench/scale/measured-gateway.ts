// The measured gateway: real processes, each with a separate database role, so that every statement is attributed
// to the process that sent it.
import { join } from "node:path";
import { Client } from "pg";
import type { Child } from "#scripts/devnet/child.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Role, roleProcessReady, startRoleProcess } from "#scripts/devnet/roles.ts";
import { type Payments, paymentsOn } from "#test/settlement/support/payments.ts";
import { type Stack, startStack } from "#test/support/stack.ts";

/** The history is in the first blocks, which no reorg reaches (core/indexer-state/high-water-mark.ts). */
export const HISTORY_BLOCKS = 200;
const EMPTY_BLOCKS = HISTORY_BLOCKS + 300;
const PASSWORD = "bench";

const ENVIRONMENT = {
  LOG_LEVEL: "warn",
  LOG_REQUESTS: "false",
  // The defaults.
  POLL_INTERVAL_MS: "",
  BLOCK_POLL_MS: "",
  RETURN_WINDOW: "5",
  // Reconciliation must not run: it would compare the history with the contract, which does not have it.
  RECONCILE_INTERVAL: "86400",
};

export const ROLES = ["api", "settlement", "indexer"] as const satisfies readonly Role[];

export type MeasuredGateway = {
  stack: Stack;
  payments: Payments<Stack>;
  /** The benchmark's connection, with a database role whose statements are not counted. */
  client: Client;
  start(): Promise<void>;
  stop(): Promise<void>;
  startSecondSettlement(): Promise<Child>;
  close(): Promise<void>;
};

export async function openGateway(): Promise<MeasuredGateway> {
  const stack = await startStack({ node: "hardhat", roles: [], blockIntervalMs: 1_000, env: ENVIRONMENT });
  const client = new Client({ connectionString: stack.databaseUrl, application_name: "bench" });
  await client.connect();
  await client.query("create extension if not exists pg_stat_statements");
  for (const role of ROLES) {
    await client.query(`drop role if exists bench_${role}`);
    await client.query(`create role bench_${role} superuser login password '${PASSWORD}'`);
  }
  const control = localChainClient(stack.rpcUrl);
  // Mines one block per request: if one request mines many, the node creates blocks that it cannot return.
  for (let block = 0; block < EMPTY_BLOCKS; block++) await control.mine({ blocks: 1 });
  const payments = await paymentsOn(stack);
  const running = new Map<Role, Child>();

  const buildEnvironment = (role: Role) => {
    const url = new URL(stack.databaseUrl);
    url.username = `bench_${role}`;
    url.password = PASSWORD;
    return { ...stack.environment, DATABASE_URL: url.href };
  };
  async function launch(role: Role, environment: Record<string, string>, log: string): Promise<Child> {
    const child = await startRoleProcess(role, environment, join(stack.logs, `${log}.log`));
    await roleProcessReady(child, environment);
    return child;
  }
  const stop = async () => {
    for (const role of ROLES) await running.get(role)?.stop({ graceMs: 30_000 });
    running.clear();
  };
  return {
    stack,
    payments,
    client,
    stop,
    async start() {
      for (const role of ROLES.toReversed())
        running.set(role, await launch(role, buildEnvironment(role), role));
    },
    async startSecondSettlement() {
      const [port, webhooks] = [await freePort(), await freePort()];
      const ports = { SETTLEMENT_PORT: String(port), WEBHOOK_PORT: String(webhooks) };
      return launch("settlement", { ...buildEnvironment("settlement"), ...ports }, "settlement-2");
    },
    async close() {
      await stop();
      await client.end();
      await payments.close();
    },
  };
}
