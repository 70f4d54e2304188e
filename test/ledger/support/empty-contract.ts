// Responses of a chain on which the contract's balance is zero by default, wallets hold plenty, and there are no
// credits.
import { type Address, type Hex, isAddressEqual, numberToHex } from "viem";
import { CONTRACT, USDC } from "#test/settlement/support/world.ts";

const PLENTY = 10n ** 30n;

/** @param held the contract's USDC balance */
export function answerCalls([call]: unknown[], held = 0n): Hex {
  const { to, data } = call as { to: Address; data: Hex };
  const ofContract = isAddressEqual(to, USDC) ? held : 0n;
  const isContract = data.includes(CONTRACT.slice(2).toLowerCase());
  return numberToHex(isContract ? ofContract : PLENTY, { size: 32 });
}
