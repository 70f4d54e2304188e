// Secrets in files, as container platforms and systemd provide them: NAME_FILE names the file that holds NAME.
import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";

type Variables = Record<string, string | undefined>;

/** The variables that may be in a file. The same with the prefix of the live network (core/live-config.ts). */
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
    // Files end with a line end, values do not.
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new ConfigError(`${name} cannot be read (${codeOf(error)}).`);
  }
}

/**
 * The same variables, with the contents of files filled in.
 * @param names the variables that may be in a file. Default: those of the gateway's roles, and of their live network
 * @throws ConfigError when a file cannot be read or is empty, or when a secret is given twice. Never with the secret
 */
export function withSecretFiles(
  environment: Variables,
  names: readonly string[] = [...SECRETS, ...SECRETS.map((secret) => `LIVE_${secret}`)],
): Variables {
  const filled = { ...environment };
  for (const name of names) {
    const path = environment[`${name}${SUFFIX}`];
    if (!path) continue;
    if (environment[name]) throw new ConfigError(`Set ${name} or ${name}${SUFFIX}, not both.`);
    const content = readContent(`${name}${SUFFIX}`, path);
    if (content === "") throw new ConfigError(`${name}${SUFFIX} names an empty file.`);
    filled[name] = content;
    delete filled[`${name}${SUFFIX}`];
  }
  return filled;
}
