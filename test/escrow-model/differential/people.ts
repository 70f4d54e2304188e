// The participants of the differential test. The model uses a name as address; on chain, each name is an account with a
// key.
import { type Address as ChainAddress, type Hex, keccak256, stringToHex, zeroAddress } from "viem";
import { privateKeyToAccount, sign } from "viem/accounts";
import { type Address, ESCROW, ZERO } from "../terms.ts";

/** `rival` is a second payer. */
export const PEOPLE = [
  "operator",
  "payee",
  "payer",
  "rival",
  "oracle",
  "arbiter",
  "offRamp",
  "stranger",
] as const;

const keys = new Map<Address, Hex>(PEOPLE.map((name) => [name, keccak256(stringToHex(name))]));
const accounts = new Map<Address, ChainAddress>(
  [...keys].map(([name, key]) => [name, privateKeyToAccount(key).address]),
);

export function keyOf(name: Address): Hex {
  const key = keys.get(name);
  if (!key) throw new Error(`${name} has no key.`);
  return key;
}

export function addressOf(name: Address, escrow: ChainAddress): ChainAddress {
  if (name === ZERO) return zeroAddress;
  if (name === ESCROW) return escrow;
  const address = accounts.get(name);
  if (!address) throw new Error(`${name} has no account.`);
  return address;
}

export function signDigest(name: Address, hash: Hex): Promise<Hex> {
  return sign({ hash, privateKey: keyOf(name), to: "hex" });
}
