// Computes the escrow's address, which is the same on every chain, and the code expected there.
import {
  type Address,
  concat,
  domainSeparator,
  encodeAbiParameters,
  getCreate2Address,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  size,
  slice,
  stringToHex,
} from "viem";
import { type Compiled, readCompiled } from "../../devnet/compiled.ts";
import { PERMIT2 } from "../../devnet/permit2.ts";
import { UserError } from "../../shared/errors.ts";
import { DETERMINISTIC_DEPLOYER } from "./deterministic-deployer.ts";

const [NAME, VERSION] = ["DeliveryVsPayment", "1"];

export interface Escrow {
  address: Address;
  /** The input of the deterministic deployer: salt, then code and constructor arguments. */
  deployData: Hex;
  initCode: Hex;
  constructorArguments: Hex;
  /** The runtime code on this chain, which contains the chain id, the address and values derived from them. */
  runtime: Hex;
}

/** @throws UserError if the contracts have changed since they were compiled */
export function requireCompiled(): Compiled {
  const compiled = readCompiled();
  if (compiled) return compiled;
  throw new UserError(
    "The contracts have changed since scripts/devnet/compiled.json was written. Deploy the committed version, or compile the change " +
      "first: npm run compile, then bun scripts/generate/abi.ts.",
  );
}

/**
 * The constructor arguments must be the same on every chain, because they determine the address: Permit2's address (a
 * different one on a chain would change the escrow's address there), and the deployer's own account as the first owner.
 * Passing the final owner would also be safe, but that owner could not list tokens before accepting the contract.
 */
export function buildEscrow(
  { contracts, escrow: source }: Compiled,
  { deployer, salt, chainId }: { deployer: Address; salt: Hex; chainId: number },
): Escrow {
  const artifact = contracts.DeliveryVsPayment;
  if (!artifact) throw new Error("scripts/devnet/compiled.json has no escrow.");
  const constructorArguments = encodeAbiParameters(
    [{ type: "address" }, { type: "address" }],
    [deployer, PERMIT2],
  );
  const initCode = concat([artifact.bytecode, constructorArguments]);
  const address = getCreate2Address({ from: DETERMINISTIC_DEPLOYER, salt, bytecode: initCode });
  return {
    address,
    deployData: concat([salt, initCode]),
    initCode,
    constructorArguments,
    runtime: fillImmutables(source, immutableValues(address, chainId)),
  };
}

/** Encodes a text of up to 31 bytes in one word, with its length in the last byte. */
const shortString = (text: string): Hex =>
  concat([pad(stringToHex(text), { dir: "right", size: 31 }), numberToHex(text.length, { size: 1 })]);

/** Uses lower case, because code is compared character by character. */
const word = (address: Address): Hex => pad(address.toLowerCase() as Hex);

function immutableValues(address: Address, chainId: number): Record<string, Hex> {
  const chain = numberToHex(chainId, { size: 32 });
  const domain = { name: NAME, version: VERSION, chainId, verifyingContract: address };
  return {
    PERMIT2: word(PERMIT2),
    CHAIN_ID: chain,
    _cachedChainId: chain,
    _cachedThis: word(address),
    _cachedDomainSeparator: domainSeparator({ domain }),
    _hashedName: keccak256(stringToHex(NAME)),
    _hashedVersion: keccak256(stringToHex(VERSION)),
    _name: shortString(NAME),
    _version: shortString(VERSION),
  };
}

const WORD = 32;

function fillImmutables({ runtime, immutables }: Compiled["escrow"], values: Record<string, Hex>): Hex {
  const places = Object.entries(immutables)
    .flatMap(([name, starts]) => {
      const value = values[name];
      if (!value) throw new Error(`The escrow has an immutable ${name} whose value is unknown.`);
      return starts.map((start) => ({ start, value }));
    })
    .sort((a, b) => a.start - b.start);
  const parts: Hex[] = [];
  let end = 0;
  for (const { start, value } of places) {
    parts.push(slice(runtime, end, start), value);
    end = start + WORD;
  }
  if (end < size(runtime)) parts.push(slice(runtime, end));
  return concat(parts);
}
