// The guardian's key, which can delist the escrow's tokens and do nothing else.
import { type Static, Type } from "@sinclair/typebox";
import type { Address, Hex } from "viem";
import { ConfigError } from "./config-error.ts";
import { addressOfKey } from "./operator-config.ts";

export const GuardianVariables = Type.Object({
  /**
   * Without this key, tokens restricted by their issuer are not delisted automatically; the metric and the log still
   * report them.
   */
  GUARDIAN_KEY: Type.Optional(Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" })),
});

/**
 * @param others accounts that must not be the guardian, by variable, so that one stolen key never has two roles
 * @throws ConfigError if the key is not on the curve, or belongs to another role
 */
export function readGuardian(
  { GUARDIAN_KEY }: Static<typeof GuardianVariables>,
  others: Record<string, Address>,
): { address: Address; key: Hex } | undefined {
  if (GUARDIAN_KEY === undefined) return undefined;
  const key = GUARDIAN_KEY as Hex;
  const address = addressOfKey("GUARDIAN_KEY", key);
  for (const [variable, other] of Object.entries(others)) {
    if (other !== address) continue;
    throw new ConfigError(
      `GUARDIAN_KEY and ${variable} must belong to different accounts: both are ${address}.`,
    );
  }
  return { address, key };
}
