// Reads the configuration of the gateway that a command uses.
import { type Config, readConfig } from "#core/config/config.ts";
import { configured } from "#core/runtime/startup.ts";
import type { LocalFile } from "../../devnet/local-file.ts";
import { UserError } from "../../shared/errors.ts";
import { readJson } from "../../shared/json-file.ts";
import { paths } from "../../shared/paths.ts";
import { commandEnvironment } from "./database-command.ts";

/** Reads the environment if it sets DATABASE_URL, otherwise the running gateway's settings. */
export function gatewayConfig(): Config {
  if (commandEnvironment().DATABASE_URL) return configured();
  const local = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
  if (local) return readConfig({ ...process.env, ...local.environment });
  throw new UserError("No gateway is running, and DATABASE_URL is not set. Start one: npm start");
}
