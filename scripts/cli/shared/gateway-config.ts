// The configuration of the gateway that a command works on.
import { type Config, readConfig } from "#core/config/config.ts";
import { configured } from "#core/runtime/startup.ts";
import type { LocalFile } from "../../devnet/local-file.ts";
import { UserError } from "../../shared/errors.ts";
import { readJson } from "../../shared/json-file.ts";
import { paths } from "../../shared/paths.ts";
import { commandEnvironment } from "./database-command.ts";

/** From the environment, or from the running gateway. */
export function gatewayConfig(): Config {
  if (commandEnvironment().DATABASE_URL) return configured();
  const local = readJson<LocalFile>(process.env.GATEWAY_LOCAL_FILE ?? paths.local);
  if (local) return readConfig({ ...process.env, ...local.environment });
  throw new UserError("No gateway is running, and DATABASE_URL is not set. Start one: npm start");
}
