// The secrets of a deployment: from the environment or from files, never from the command line.
import { isAddressEqual } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { ConfigError } from "#core/config/config-error.ts";
import { withSecretFiles } from "#core/config/secret-files.ts";
import { UserError } from "../../shared/errors.ts";
import type { Settings } from "./settings.ts";

export interface Secrets {
  rpcUrl: string;
  deployer: PrivateKeyAccount;
  newOwner: PrivateKeyAccount | undefined;
  explorerApiKey: string | undefined;
}

const NAMES = ["RPC_URL", "DEPLOYER_KEY", "OWNER_KEY", "EXPLORER_API_KEY"];

/** @throws UserError that names the missing or invalid variable, never its value */
export function readSecrets({ owner }: Settings, environment = process.env): Secrets {
  const variables = readVariables(environment);
  const { RPC_URL: rpcUrl = "", EXPLORER_API_KEY: explorerApiKey } = variables;
  if (!/^https?:\/\//.test(rpcUrl))
    throw new UserError("RPC_URL must be the address of a node: http:// or https://.");
  const deployer = readAccount("DEPLOYER_KEY", variables.DEPLOYER_KEY);
  if (!deployer)
    throw new UserError("DEPLOYER_KEY or DEPLOYER_KEY_FILE must be set: the key of the account that pays.");
  const newOwner = readAccount("OWNER_KEY", variables.OWNER_KEY);
  if (newOwner && !isAddressEqual(newOwner.address, owner)) {
    throw new UserError(
      `OWNER_KEY is the key of ${newOwner.address}; the owner in the settings is ${owner}.`,
    );
  }
  return { rpcUrl, deployer, newOwner, explorerApiKey: explorerApiKey || undefined };
}

function readVariables(environment: Record<string, string | undefined>) {
  try {
    return withSecretFiles(environment, NAMES);
  } catch (error) {
    throw error instanceof ConfigError ? new UserError(error.message) : error;
  }
}

function readAccount(name: string, key: string | undefined): PrivateKeyAccount | undefined {
  if (!key) return undefined;
  try {
    if (/^0x[0-9a-fA-F]{64}$/.test(key)) return privateKeyToAccount(key as `0x${string}`);
  } catch {
    // The library's error message would contain the key.
  }
  throw new UserError(`${name} must be a secp256k1 private key: 32 bytes as hex, with 0x.`);
}
