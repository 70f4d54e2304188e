// The live network that runs alongside the gateway's own network. It is configured by the same variables with the
// prefix LIVE_ (docs/decisions/0005-networks-and-modes.md). It has its own database, so that test and live data cannot
// mix.
import { type Config, readConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { withSecretFiles } from "./secret-files.ts";

type Variables = Record<string, string | undefined>;

/** `own`: the network configured by the variables without a prefix. */
export type Networks = { own: Config; live?: Config };

const PREFIX = "LIVE_";

/**
 * Variables that belong to one network and are never inherited. All other variables are shared unless LIVE_… sets them.
 */
const OWN = new Set([
  "DATABASE_URL",
  "RPC_URL",
  "RPC_WS_URL",
  "PUBLIC_RPC_URL",
  "NETWORK_NAME",
  "NATIVE_CURRENCY",
  "EXPLORER_URL",
  "CHAIN_ID",
  "BLOCK_TIME",
  "CONTRACT_ADDRESS",
  "START_BLOCK",
  "TOKENS",
  "OPERATOR_KEY",
  "OPERATOR_SIGNER_URL",
  "OPERATOR_ADDRESS",
  "ARBITER_ADDRESS",
  "ARBITER_KEY",
  "GUARDIAN_KEY",
  "OFF_RAMP_ADDRESS",
  "OFF_RAMP_API_URL",
  "OFF_RAMP_API_KEY",
  "OFF_RAMP_CUSTOMER_ID",
  "OFF_RAMP_WALLET_ID",
  "OFF_RAMP_WEBHOOK_KEY",
  "OFF_RAMP_ACCOUNTS",
  "OFF_RAMP_RTP_FEE",
  "OFF_RAMP_BANK_FEE",
  "OFF_RAMP_RTP_MINIMUM",
  "OFF_RAMP_BANK_MINIMUM",
  "CONFIRMATIONS",
  "MIN_DISPUTE_WINDOW",
  "RETURN_WINDOW",
  "TEST_CLOCK",
  "WEBHOOK_SECRET_KEY",
  "WEBHOOK_ALLOW_PRIVATE",
]);

function liveVariables(environment: Variables): Variables | undefined {
  const given = Object.entries(environment).filter(([name, value]) => name.startsWith(PREFIX) && value);
  if (given.length === 0) return undefined;
  const shared = Object.entries(environment).filter(([name]) => !OWN.has(name));
  const live = given.map(([name, value]) => [name.slice(PREFIX.length), value] as const);
  return { ...Object.fromEntries([...shared, ...live]), GATEWAY_ENV: "production", GATEWAY_MODE: "live" };
}

/** @throws ConfigError for another value: the process would work for the wrong network */
function isLive({ GATEWAY_NETWORK: network }: Variables): boolean {
  if (network && network !== "live")
    throw new ConfigError(`GATEWAY_NETWORK is "live" or unset, not "${network}".`);
  return network === "live";
}

const sameDatabase = () => new ConfigError("LIVE_DATABASE_URL and DATABASE_URL must be different databases.");

const noLiveNetwork = () =>
  new ConfigError(
    "GATEWAY_NETWORK=live, but no live network is configured: set LIVE_DATABASE_URL and the other LIVE_… variables.",
  );

/**
 * Returns the variables of the network that the process works for. With GATEWAY_NETWORK=live, the LIVE_… variables
 * replace those without the prefix.
 * @throws ConfigError if the live network has no database of its own: a command would use a running local gateway's
 */
export function networkVariables(environment: Variables): Variables {
  if (!isLive(environment)) return environment;
  const live = liveVariables(environment);
  if (!live?.DATABASE_URL) throw noLiveNetwork();
  if (live.DATABASE_URL === environment.DATABASE_URL) throw sameDatabase();
  return live;
}

/**
 * Returns the configuration of the network that the process works for (networkVariables).
 * @throws ConfigError
 */
export function readOwnNetwork(given: Variables = process.env): Config {
  const { own, live } = readNetworks(given);
  if (!isLive(given)) return own;
  if (!live) throw noLiveNetwork();
  return live;
}

/** @throws ConfigError, which lists every variable that is missing or invalid */
export function readNetworks(given: Variables = process.env): Networks {
  const environment = withSecretFiles(given);
  const own = readConfig(environment);
  const variables = liveVariables(environment);
  if (!variables) return { own };
  if (own.mode === "live") {
    throw new ConfigError(
      "Two live networks are configured. Set GATEWAY_MODE=test, or unset the LIVE_… variables.",
    );
  }
  let live: Config;
  try {
    live = readConfig(variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`Live network (variables with the prefix ${PREFIX}): ${error.message}`);
  }
  for (const [currency, { decimals }] of Object.entries(live.chain.units)) {
    const other = own.chain.units[currency]?.decimals ?? decimals;
    if (other === decimals) continue;
    throw new ConfigError(
      `LIVE_TOKENS defines ${currency} with ${decimals} decimals, TOKENS with ${other}. Use a different symbol for one of them.`,
    );
  }
  if (live.databaseUrl === own.databaseUrl) {
    throw sameDatabase();
  }
  if (live.operator === own.operator) {
    throw new ConfigError(
      "LIVE_OPERATOR_KEY and OPERATOR_KEY must be different keys: each network requires its own key.",
    );
  }
  if (live.guardian && live.guardian.address === own.guardian?.address) {
    throw new ConfigError(
      "LIVE_GUARDIAN_KEY and GUARDIAN_KEY must be different keys: each network requires its own key.",
    );
  }
  return { own, live };
}
