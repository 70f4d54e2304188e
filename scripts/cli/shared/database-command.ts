// Shared functions of the commands that use a gateway's database (`npm run keys`, `npm run ops`, `npm run audit`).
import { readFeeBearer, readMode } from "#core/config/config.ts";
import { ConfigError } from "#core/config/config-error.ts";
import { networkVariables } from "#core/config/live-config.ts";
import { withSecretFiles } from "#core/config/secret-files.ts";
import { connect, type Database } from "#core/db/client.ts";
import type { Mode } from "#core/model/mode.ts";
import type { LocalFile } from "../../devnet/local-file.ts";
import { UserError } from "../../shared/errors.ts";
import { readJson } from "../../shared/json-file.ts";
import { paths } from "../../shared/paths.ts";

const runningGateway = () => readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);

function orUserError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
}

/**
 * The variables of the process's network, including secrets that are stored in files. With GATEWAY_NETWORK=live, they are
 * the LIVE_… variables, so that no command uses one network's database with the other one's providers.
 * @throws UserError if a file cannot be read, or no live network is configured
 */
export const commandEnvironment = () => orUserError(() => networkVariables(withSecretFiles(process.env)));

const missing = (variable: string) =>
  new UserError(`No gateway is running, and ${variable} is not set. Start one: npm start`);

/** Returns the URL in DATABASE_URL, or the running gateway's database. @throws UserError if there is neither */
export function gatewayDatabaseUrl(): string {
  const url = commandEnvironment().DATABASE_URL || runningGateway()?.databaseUrl;
  if (!url) throw missing("DATABASE_URL");
  return url;
}

/**
 * Returns the URL in DASHBOARD_URL, or at BASE_URL, or the running gateway's dashboard. @throws UserError if none is
 * set
 */
export function gatewayDashboardUrl(): string {
  const { DASHBOARD_URL, BASE_URL, DATABASE_URL } = commandEnvironment();
  const configured = DASHBOARD_URL || BASE_URL;
  if (configured) return `${new URL(configured).origin}/dashboard`;
  const url = DATABASE_URL ? undefined : runningGateway()?.dashboard.url;
  if (!url) throw missing("DASHBOARD_URL");
  return url;
}

/** The mode whose keys the gateway accepts: the running gateway, or the one that this process's variables configure. */
export function gatewayMode(): Mode {
  const environment = commandEnvironment();
  const running = runningGateway();
  const isRunning = running && [undefined, "", running.databaseUrl].includes(environment.DATABASE_URL);
  return orUserError(() => readMode(isRunning ? running.environment : environment));
}

/** Returns who bears the fees of returned payouts, according to the gateway's configuration. */
export function gatewayFeeBearer() {
  const environment = commandEnvironment();
  const running = runningGateway();
  const isRunning = running && [undefined, "", running.databaseUrl].includes(environment.DATABASE_URL);
  return orUserError(() => readFeeBearer(isRunning ? running.environment : environment));
}

/**
 * Returns the URL in RPC_URL, or the running gateway's node if its database is used too. @throws UserError if there is
 * neither
 */
export function gatewayRpcUrl(): string {
  const { RPC_URL, DATABASE_URL } = commandEnvironment();
  const url = RPC_URL || (DATABASE_URL ? undefined : runningGateway()?.rpcUrl);
  if (!url) throw missing("RPC_URL");
  return url;
}

export type Commands = Record<string, (database: Database, argument: string) => Promise<void>>;

/**
 * Runs the command that the first argument names, with the second one (or an empty string) as the command's argument.
 */
export async function runCommand(
  commands: Commands,
  [name = "", argument = ""]: readonly string[],
  { application, databaseUrl }: { application: string; databaseUrl(): string },
): Promise<void> {
  const command = commands[name];
  if (!command) throw new Error(`No handler is registered for '${name}' of ${application}.`);
  const database = connect(databaseUrl(), { max: 1, application });
  try {
    await command(database, argument);
  } finally {
    await database.$client.end();
  }
}
