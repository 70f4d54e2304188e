// The gateway's own processes: indexer, API and settlement, configured by environment alone.
import type { Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { WEBHOOK_PATH } from "#settlement/offramp/receive-webhook.ts";
import { root } from "../shared/paths.ts";
import { answers } from "../shared/wait.ts";
import type { Chain } from "./chain.ts";
import { type Child, childReady, startBunChild } from "./child.ts";
import type { Deployment } from "./deploy.ts";
import { entryPoint } from "./entry-point.ts";

export type Role = "indexer" | "api" | "settlement";

/** In the order in which they start; the indexer's tables are what the others read. */
export const ROLES: readonly Role[] = ["indexer", "api", "settlement"];

const PORT_VARIABLE: Record<Role, string> = {
  indexer: "INDEXER_PORT",
  api: "PORT",
  settlement: "SETTLEMENT_PORT",
};
/** Seconds on a free machine; one that compiles contracts and runs tests as well is not to be given up on. */
const READY_MS = 120_000;

/** One a role, and the one at which the settlement role takes the provider's webhooks. */
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

/** The address under which merchants find the API, and payers their page. */
export function publicUrls(port: number) {
  const origin = `http://localhost:${port}`;
  return {
    baseUrl: `${origin}/api/v1`,
    paymentPageUrl: `${origin}/pay`,
    dashboardUrl: `${origin}/dashboard`,
    docsUrl: `${origin}/docs`,
  };
}

/** Where the off-ramp's provider sends its webhooks (settlement/offramp/receive-webhook.ts). */
export const webhookUrl = (port: number): string => `http://127.0.0.1:${port}${WEBHOOK_PATH}`;

/** The settings of all roles (core/config/config.ts reads it). */
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
    // Demo keys and a chain that anyone may command: for this machine alone.
    HOST: "127.0.0.1",
    PORT: String(ports.api),
    INDEXER_PORT: String(ports.indexer),
    SETTLEMENT_PORT: String(ports.settlement),
    WEBHOOK_PORT: String(ports.webhooks),
  };
}

/** Starts a role; it is not ready yet. */
export function startRole(role: Role, environment: Environment, log: string): Promise<Child> {
  return startBunChild({
    name: role,
    args: [entryPoint(`${role}/main.ts`)],
    env: environment,
    cwd: root,
    log,
  });
}

/** Returns when the role says that it is ready; throws when it has ended instead. */
export async function roleReady(child: Child, environment: Environment): Promise<void> {
  const port = environment[PORT_VARIABLE[child.name as Role]];
  await childReady(child, READY_MS, () => answers(`http://127.0.0.1:${port}/ready`));
}
