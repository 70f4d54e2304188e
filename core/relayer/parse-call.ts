// Decodes the call of a signed transaction.
import { type Address, type Hex, parseTransaction } from "viem";

export type Call = { to: Address; data: Hex; gas: bigint };

/**
 * Decodes the call from one of the relayer's serialized transactions (EIP-1559).
 * @throws for any other transaction
 */
export function parseCall(raw: Hex): Call {
  const { to, data = "0x", gas } = parseTransaction(raw);
  if (!to || gas === undefined)
    throw new Error("The stored transaction is not of a type that the relayer signs.");
  return { to, data, gas };
}
