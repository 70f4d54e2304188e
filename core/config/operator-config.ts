// How the operator's transactions are signed: with a key in this process, or by a remote signer over HTTP.
import { type Static, Type } from "@sinclair/typebox";
import { type Address, getAddress, type Hex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { ConfigError } from "./config-error.ts";

const KeyVariables = Type.Object({ OPERATOR_KEY: Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" }) });

const SignerVariables = Type.Object({
  /** The URL of a signer that implements eth_signTransaction, such as Web3Signer. */
  OPERATOR_SIGNER_URL: Type.String({ pattern: "^https?://" }),
  /** The address of the signer's key. */
  OPERATOR_ADDRESS: Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" }),
});

export type OperatorVariables = Static<typeof KeyVariables> | Static<typeof SignerVariables>;

/** Either the key or the signer's URL, never both. */
export type Signing = { key: Hex; url?: never } | { url: string; key?: never };

/**
 * The variables that this environment requires: the signer's if one is configured, otherwise the key.
 * @throws ConfigError if both are set
 */
export function operatorVariables(environment: Record<string, string | undefined>) {
  if (!environment.OPERATOR_SIGNER_URL) return KeyVariables;
  if (environment.OPERATOR_KEY) {
    throw new ConfigError("Set either OPERATOR_KEY or OPERATOR_SIGNER_URL, not both.");
  }
  return SignerVariables;
}

/** @throws ConfigError, which names the variable but never the key */
export function addressOfKey(variable: string, key: Hex): Address {
  try {
    return privateKeyToAddress(key);
  } catch {
    // The library's own message would print the key.
    throw new ConfigError(
      `${variable} must be a secp256k1 private key: greater than 0 and less than the curve order.`,
    );
  }
}

/** @throws ConfigError if the key is not on the curve */
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
