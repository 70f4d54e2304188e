// The list of escrow addresses on public networks. The package publishes it; the ERC-7730 files refer to it. An address
// depends on the deployer's account, so it is unknown before a deployment; `npm run deploy -- --record FILE` adds it to
// the list.
import { existsSync, readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, isAddressEqual } from "viem";
import { UserError } from "../../shared/errors.ts";
import { replaceFile } from "../../shared/replace-file.ts";

const strict = { additionalProperties: false };

const Entry = Type.Object(
  {
    /** The `name` in the network's settings file. */
    network: Type.String({ minLength: 1 }),
    chainId: Type.Integer({ minimum: 1 }),
    /** Address with EIP-55 checksum. */
    address: Type.Unsafe<Address>(Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" })),
    /** The block in which the contract was deployed, or an earlier one. */
    startBlock: Type.Integer({ minimum: 0 }),
  },
  strict,
);

const List = Type.Array(Entry);

export type AddressEntry = Static<typeof Entry>;

/** @throws UserError if the file is not an address list */
export function readAddressList(file: string): AddressEntry[] {
  const list = parse(readFileSync(file, "utf8"));
  if (Value.Check(List, list) && list.every(({ address }) => getAddress(address) === address)) return list;
  throw new UserError(
    `${file} is not an address list. Expected a JSON array of { network, chainId, address (EIP-55), startBlock }.`,
  );
}

/** @returns undefined if the text is not JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isSame = (a: Pick<AddressEntry, "chainId" | "address">, b: Pick<AddressEntry, "chainId" | "address">) =>
  a.chainId === b.chainId && isAddressEqual(a.address, b.address);

export const isRecorded = (file: string, contract: Pick<AddressEntry, "chainId" | "address">): boolean =>
  existsSync(file) && readAddressList(file).some((entry) => isSame(entry, contract));

/** Adds the contract unless the list contains it. Keeps other contracts on the same network. */
export function recordAddress(file: string, contract: AddressEntry): void {
  if (isRecorded(file, contract)) return;
  const list = [...(existsSync(file) ? readAddressList(file) : []), contract];
  list.sort((a, b) => a.chainId - b.chainId || a.startBlock - b.startBlock);
  replaceFile(file, `${JSON.stringify(list, null, 2)}\n`);
}
