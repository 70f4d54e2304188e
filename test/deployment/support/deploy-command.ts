// Runs the script of `npm run deploy`, with the settings and the environment file in a temporary folder and the secrets
// in environment variables.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "viem";
import { CURRENCIES, CURRENCY_DECIMALS } from "#core/money.ts";
import type { Deployment } from "#scripts/devnet/deploy.ts";
import { root } from "#scripts/shared/paths.ts";

export interface Run {
  settings: object;
  rpcUrl: string;
  deployerKey?: Hex | undefined;
  args?: readonly string[];
  variables?: Record<string, string>;
}

/** Returns the `tokens` of a settings file. */
export const nameTokens = (tokens: Deployment["tokens"]) =>
  Object.fromEntries(
    CURRENCIES.map((currency) => [
      currency,
      { address: tokens[currency], decimals: CURRENCY_DECIMALS[currency], symbol: currency },
    ]),
  );

/** Creates a temporary folder, and returns functions that run the command in it. */
export function openWorkplace() {
  const folder = mkdtempSync(join(tmpdir(), "deploy-"));
  const environmentFile = join(folder, "gateway.env");
  const settingsFile = join(folder, "network.json");

  /** Starts the command. The caller can kill it. */
  function start({ settings, rpcUrl, deployerKey, args = ["--yes"], variables = {} }: Run) {
    writeFileSync(settingsFile, JSON.stringify(settings));
    const { RPC_URL: _, DEPLOYER_KEY: __, OWNER_KEY: ___, ...inherited } = process.env;
    const child = Bun.spawn(
      [
        ...[process.execPath, join(root, "scripts/cli/deploy.ts")],
        ...["--network", settingsFile, "--env", environmentFile, ...args],
      ],
      {
        cwd: root,
        env: {
          ...inherited,
          RPC_URL: rpcUrl,
          ...(deployerKey === undefined ? {} : { DEPLOYER_KEY: deployerKey }),
          ...variables,
        },
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const output = new Response(child.stdout).text();
    const errors = new Response(child.stderr).text();
    return {
      kill: () => child.kill("SIGKILL"),
      ended: async () => ({ exitCode: await child.exited, output: await output, errors: await errors }),
    };
  }

  return {
    folder,
    environmentFile,
    start,
    run: (run: Run) => start(run).ended(),
    /** Reads the gateway's environment file. Returns an empty object if the file does not exist. */
    environment(): Record<string, string> {
      if (!existsSync(environmentFile)) return {};
      const lines = readFileSync(environmentFile, "utf8").matchAll(/^([A-Z_]+)=(.*)$/gm);
      return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
    },
  };
}
