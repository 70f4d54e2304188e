// Who signs the operator's transactions: a key that this process has, or a remote signer over HTTP.
import { type Static, Type } from "@sinclair/typebox";
import { type Address, getAddress, type Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { ConfigError } from "./config-error.ts";

const KeyVariables = Type.Object({ OPERATOR_KEY: Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" }) });

const SignerVariables = Type.Object({
  /** Answers eth_signTransaction, as Web3Signer does. */
  OPERATOR_SIGNER_URL: Type.String({ pattern: "^https?://" }),
  /** The key that it signs with. */
  OPERATOR_ADDRESS: Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" }),
});

export type OperatorVariables = Static<typeof KeyVariables> | Static<typeof SignerVariables>;

/** One of them, never both. */
export type Signing = { key: Hex; url?: never } | { url: string; key?: never };

/**
 * The variables that this environment requires: those of the signer if one is named, else the key.
 * @throws ConfigError when it names both
 */
export function operatorVariables(environment: Record<string, string | undefined>) {
  if (!environment.OPERATOR_SIGNER_URL) return KeyVariables;
  if (environment.OPERATOR_KEY) {
    throw new ConfigError("Set OPERATOR_KEY or OPERATOR_SIGNER_URL, not both: only one of them can sign.");
  }
  return SignerVariables;
}

/** @throws ConfigError that names the variable and never the key */
export function addressOfKey(variable: string, key: Hex): Address {
  try {
    return privateKeyToAddress(key);
  } catch {
    // Its own message would print the number.
    throw new ConfigError(
      `${variable} must be a private key of secp256k1: above 0 and below the curve's order.`,
    );
  }
}

/** @throws ConfigError when the key is none of the curve */
export function readOperator(env: OperatorVariables): {
  operator: Address;
  signing: Signing;
} {
  if ("OPERATOR_SIGNER_URL" in env) {
    return { operator: getAddress(env.OPERATOR_ADDRESS), signing: { url: env.OPERATOR_SIGNER_URL } };
  }
  const key = env.OPERATOR_KEY as Hex;
  return { operator: addressOfKey("OPERATOR_KEY", key), signing: { key } };
}
