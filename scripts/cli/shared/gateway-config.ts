// Reads the configuration of the gateway that a command uses.
import { type Config, readConfig } from "#core/config/config.ts";
import { configured } from "#core/runtime/startup.ts";
import type { LocalFile } from "../../devnet/local-file.ts";
import { UserError } from "../../shared/errors.ts";
import { readJson } from "../../shared/json-file.ts";
import { paths } from "../../shared/paths.ts";
import { commandEnvironment } from "./database-command.ts";

/**
 * Reads the environment if it sets DATABASE_URL. Otherwise, the running gateway's settings override the environment.
 * @throws UserError if DATABASE_URL is not set and no gateway is running
 */
export function gatewayConfig(): Config {
  if (commandEnvironment().DATABASE_URL) return configured();
  const running = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
  if (running) return readConfig({ ...process.env, ...running.environment });
  throw new UserError("No gateway is running, and DATABASE_URL is not set. Start one: npm start");
}
