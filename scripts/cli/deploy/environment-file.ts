// The gateway's environment file: everything its processes need to know about the deployment, without secrets.
import { existsSync, readFileSync } from "node:fs";
import { UserError } from "../../shared/errors.ts";
import { replaceFile } from "../../shared/replace-file.ts";
import type { Deployment } from "./step.ts";

export type Variables = Record<string, string>;

const START_BLOCK = "START_BLOCK";

/** Every variable that a deployment determines, except the contract's start block. */
export function listVariables({ settings, escrow, tokens }: Deployment): Variables {
  const { gateway } = settings;
  const named = Object.entries(tokens).map(([currency, { address, decimals, symbol }]) => [
    currency,
    { address, decimals, symbol },
  ]);
  const variables: Record<string, string | undefined> = {
    NETWORK_NAME: settings.name,
    CHAIN_ID: String(settings.chainId),
    BLOCK_TIME: String(settings.blockTime),
    NATIVE_CURRENCY: settings.nativeCurrency,
    CONTRACT_ADDRESS: escrow.address,
    TOKENS: JSON.stringify(Object.fromEntries(named)),
    EXPLORER_URL: settings.explorerUrl,
    PUBLIC_RPC_URL: settings.publicRpcUrl,
    ARBITER_ADDRESS: gateway?.arbiter,
    OFF_RAMP_ADDRESS: gateway?.offRamp,
    BASE_URL: gateway?.baseUrl,
    PAYMENT_PAGE_URL: gateway?.paymentPageUrl,
  };
  const known = Object.entries(variables).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(known);
}

/** Variables that every process needs. The operator adds those that the settings do not specify. */
const REQUIRED_VARIABLES = ["ARBITER_ADDRESS", "OFF_RAMP_ADDRESS", "BASE_URL", "PAYMENT_PAGE_URL"];

/** Reads the file's variables; comments and all other lines belong to the user. */
function readVariables(file: string): Variables {
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, "utf8").matchAll(/^([A-Z_]+)=(.*?)\s*$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

/** Returns the file's start block if the file is for this contract. */
export function readStartBlock(file: string, variables: Variables): number | undefined {
  const known = readVariables(file);
  const same = ["CHAIN_ID", "CONTRACT_ADDRESS"].every((name) => known[name] === variables[name]);
  return same && /^\d+$/.test(known[START_BLOCK] ?? "") ? Number(known[START_BLOCK]) : undefined;
}

/**
 * Whether the file contains all of these values and a start block.
 * @throws UserError if the file exists and has other values, because it may belong to another deployment
 */
export function isUpToDate(file: string, variables: Variables): boolean {
  if (!existsSync(file)) return false;
  const known = readVariables(file);
  const differences = Object.entries(variables).filter(([name, value]) => known[name] !== value);
  if (differences.length === 0) return known[START_BLOCK] !== undefined;
  const lines = differences.map(
    ([name, value]) => `  ${name}: the file has ${known[name] ?? "no value"}; this deployment has ${value}`,
  );
  throw new UserError(
    `${file} belongs to a different deployment, or was changed:\n${lines.join("\n")}\n` +
      "Choose a different file with --env, or replace these lines with --force.",
  );
}

/** Writes the file. If it exists, replaces the lines of these variables and keeps all others. */
export function writeEnvironment(file: string, variables: Variables): void {
  const content = existsSync(file) ? readFileSync(file, "utf8") : buildHeader(variables);
  const missing = new Map(Object.entries(variables));
  const lines = content.split("\n").map((line) => {
    const name = /^([A-Z_]+)=/.exec(line)?.[1];
    const value = name === undefined ? undefined : missing.get(name);
    if (name === undefined || value === undefined) return line;
    missing.delete(name);
    return `${name}=${value}`;
  });
  while (lines.at(-1) === "") lines.pop();
  const added = [...missing].map(([name, value]) => `${name}=${value}`);
  replaceFile(file, `${[...lines, ...added].join("\n")}\n`);
}

function buildHeader(variables: Variables): string {
  const missing = REQUIRED_VARIABLES.filter((name) => variables[name] === undefined);
  const lines = [
    "# The gateway's deployment, written by npm run deploy, without secrets. All variables: core/config/config.ts.",
  ];
  if (missing.length > 0) lines.push(`# To do: add ${missing.join(", ")} (see deploy/gateway.env.example).`);
  return `${lines.join("\n")}\n`;
}
