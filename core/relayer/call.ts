// The call in a signed transaction.
import { type Address, type Hex, parseTransaction } from "viem";

export type Call = { to: Address; data: Hex; gas: bigint };

/**
 * Reads the call from a serialized transaction (EIP-1559) of the relayer.
 * @throws when it is not such a transaction
 */
export function parseCall(raw: Hex): Call {
  const { to, data = "0x", gas } = parseTransaction(raw);
  if (!to || gas === undefined) throw new Error("A stored transaction is not one that the relayer signs.");
  return { to, data, gas };
}
