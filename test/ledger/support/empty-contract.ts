// Answers of a chain on which the contract holds nothing, wallets hold plenty, and no credit waits.
import { type Hex, numberToHex } from "viem";
import { CONTRACT } from "#test/settlement/support/world.ts";

const PLENTY = 10n ** 30n;

/** @param held what the contract has of each token */
export function answerCalls([call]: unknown[], held = 0n): Hex {
  const { data } = call as { data: Hex };
  const isContract = data.includes(CONTRACT.slice(2).toLowerCase());
  return numberToHex(isContract ? held : PLENTY, { size: 32 });
}
