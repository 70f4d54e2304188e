// The gateway's roles (indexer, API and settlement) and their processes, configured only by environment variables.
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { WEBHOOK_PATH } from "#settlement/off-ramp/receive-webhook.ts";
import { root } from "../shared/paths.ts";
import { answers } from "../shared/wait.ts";
import type { Chain } from "./chain.ts";
import { type Child, childReady, startBunChild } from "./child.ts";
import type { Deployment } from "./deploy.ts";
import { entryPoint } from "./entry-point.ts";

export type Role = "indexer" | "api" | "settlement";

/** Roles in start order: the others read the indexer's tables. */
export const ROLES: readonly Role[] = ["indexer", "api", "settlement"];

const PORT_VARIABLE: Record<Role, string> = {
  indexer: "INDEXER_PORT",
  api: "PORT",
  settlement: "SETTLEMENT_PORT",
};
/**
 * Starting takes seconds on an idle machine, but must not time out on one that is compiling contracts and running
 * tests.
 */
const READY_MS = 120_000;

/** One port per role, and one on which the settlement role receives the provider's webhooks. */
export type RolePorts = Record<Role | "webhooks", number>;

export interface GatewaySettings {
  databaseUrl: string;
  chain: Pick<Chain, "rpcUrl" | "chainId" | "blockIntervalMs">;
  deployment: Deployment;
  operatorKey: Hex;
  arbiterKey: Hex;
  guardianKey: Hex;
  offRampKey: Hex;
  dashboardSecret: string;
  ports: RolePorts;
}

export type Environment = Record<string, string>;

/** Returns the public URLs of the merchants' API, the payers' page, the dashboard and the API docs. */
export function publicUrls(port: number) {
  const origin = `http://localhost:${port}`;
  return {
    baseUrl: `${origin}/api/v1`,
    paymentPageUrl: `${origin}/pay`,
    dashboardUrl: `${origin}/dashboard`,
    docsUrl: `${origin}/docs`,
  };
}

/** The URL to which the off-ramp provider sends its webhooks (settlement/off-ramp/receive-webhook.ts). */
export const webhookUrl = (port: number): string => `http://127.0.0.1:${port}${WEBHOOK_PATH}`;

/** Builds the settings of all roles, which core/config/config.ts reads. */
export function gatewayEnvironment(settings: GatewaySettings): Environment {
  const { deployment, ports } = settings;
  const { baseUrl, paymentPageUrl } = publicUrls(ports.api);
  return {
    GATEWAY_ENV: "local",
    DATABASE_URL: settings.databaseUrl,
    RPC_URL: settings.chain.rpcUrl,
    CHAIN_ID: String(settings.chain.chainId),
    BLOCK_TIME: String(settings.chain.blockIntervalMs / 1_000),
    CONTRACT_ADDRESS: deployment.contractAddress,
    START_BLOCK: String(deployment.startBlock),
    TOKENS: JSON.stringify(deployment.tokens),
    OPERATOR_KEY: settings.operatorKey,
    ARBITER_KEY: settings.arbiterKey,
    GUARDIAN_KEY: settings.guardianKey,
    OFF_RAMP_ADDRESS: privateKeyToAddress(settings.offRampKey),
    DASHBOARD_SECRET: settings.dashboardSecret,
    BASE_URL: baseUrl,
    PAYMENT_PAGE_URL: paymentPageUrl,
    // Only this machine may connect, because the keys are for demos and anyone can control the chain.
    HOST: "127.0.0.1",
    PORT: String(ports.api),
    INDEXER_PORT: String(ports.indexer),
    SETTLEMENT_PORT: String(ports.settlement),
    WEBHOOK_PORT: String(ports.webhooks),
  };
}

/** Starts a process of the role, without waiting until it is ready. */
export function startRoleProcess(role: Role, environment: Environment, log: string): Promise<Child> {
  return startBunChild({
    name: role,
    args: [entryPoint(`${role}/main.ts`)],
    env: environment,
    cwd: root,
    log,
  });
}

/** Resolves when the process reports that it is ready; throws if it exited instead. */
export async function roleProcessReady(child: Child, environment: Environment): Promise<void> {
  const port = environment[PORT_VARIABLE[child.name as Role]];
  await childReady(child, READY_MS, () => answers(`http://127.0.0.1:${port}/ready`));
}
