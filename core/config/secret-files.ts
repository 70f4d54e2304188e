// Reads secrets from files, as provided by container platforms and systemd. NAME_FILE is the path of the file that
// contains the value of NAME.
import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";

type Variables = Record<string, string | undefined>;

/**
 * The variables that can be read from a file, with or without the live network's prefix (core/config/live-config.ts).
 */
const SECRETS = [
  "DATABASE_URL",
  "RPC_URL",
  "RPC_WS_URL",
  "OPERATOR_KEY",
  "GUARDIAN_KEY",
  "OFF_RAMP_API_KEY",
  "OFF_RAMP_WEBHOOK_KEY",
  "OFF_RAMP_ACCOUNTS",
  "DASHBOARD_SECRET",
  "WEBHOOK_SECRET_KEY",
];

const SUFFIX = "_FILE";

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "not a file";

function readContent(name: string, path: string): string {
  try {
    // Files end with a line break, but values do not.
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new ConfigError(`The file in ${name} cannot be read (${codeOf(error)}).`);
  }
}

/**
 * Fills in the variables whose values are in files.
 * @param names the variables that can be in a file. Default: the variables of the gateway's roles and of their live
 * network
 * @throws ConfigError if a file is unreadable or empty, or a secret is set twice. The error never contains the secret
 */
export function withSecretFiles(
  environment: Variables,
  names: readonly string[] = [...SECRETS, ...SECRETS.map((secret) => `LIVE_${secret}`)],
): Variables {
  const filled = { ...environment };
  for (const name of names) {
    const path = environment[`${name}${SUFFIX}`];
    if (!path) continue;
    if (environment[name]) throw new ConfigError(`Set either ${name} or ${name}${SUFFIX}, not both.`);
    const content = readContent(`${name}${SUFFIX}`, path);
    if (content === "") throw new ConfigError(`The file in ${name}${SUFFIX} is empty.`);
    filled[name] = content;
    delete filled[`${name}${SUFFIX}`];
  }
  return filled;
}
