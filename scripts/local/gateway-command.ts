// What the command lines on a gateway's database have in common (`npm run keys`, `npm run ops`, `npm run audit`).
import { type ParseArgsConfig, parseArgs } from "node:util";
import { ConfigError } from "#core/config-error.ts";
import { connect, type Database } from "#core/db/client.ts";
import { withSecretFiles } from "#core/secret-files.ts";
import { UserError } from "./errors.ts";
import { readJson } from "./json-file.ts";
import type { LocalFile } from "./local-file.ts";
import { paths } from "./paths.ts";

const runningGateway = () => readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);

/** The process's variables, with secrets that are in files. @throws UserError if a file cannot be read */
export function commandEnvironment() {
  try {
    return withSecretFiles(process.env);
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
}

const missing = (variable: string) =>
  new UserError(`No gateway runs here, and ${variable} is not set. Start one: npm start`);

/** The database in DATABASE_URL, or the running gateway's. @throws UserError if there is neither */
export function gatewayDatabaseUrl(): string {
  const url = commandEnvironment().DATABASE_URL || runningGateway()?.databaseUrl;
  if (!url) throw missing("DATABASE_URL");
  return url;
}

/** The node in RPC_URL; or the running gateway's, if its database is meant as well. @throws UserError if there is neither */
export function gatewayRpcUrl(): string {
  const { RPC_URL, DATABASE_URL } = commandEnvironment();
  const url = RPC_URL || (DATABASE_URL ? undefined : runningGateway()?.rpcUrl);
  if (!url) throw missing("RPC_URL");
  return url;
}

/** What was asked for; ends the process with the help if that cannot be. */
export function parseCommand<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  help: string,
  options: Options,
) {
  try {
    return parseArgs({ args: process.argv.slice(2), allowPositionals: true, options });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${help}`);
    process.exit(1);
  }
}

export type Commands = Record<string, (database: Database, argument: string | undefined) => Promise<void>>;

/** Runs one of the commands, or shows the help. @returns the exit code */
export async function runCommand(
  commands: Commands,
  asked: { positionals: string[]; wantsHelp: boolean; help: string },
  { application, databaseUrl }: { application: string; databaseUrl(): string },
): Promise<number> {
  const [name, argument] = asked.positionals;
  const command = name === undefined || asked.wantsHelp ? undefined : commands[name];
  if (!command) {
    console.log(asked.help);
    return asked.wantsHelp ? 0 : 1;
  }
  const database = connect(databaseUrl(), { max: 1, application });
  try {
    await command(database, argument);
    return 0;
  } finally {
    await database.$client.end();
  }
}
