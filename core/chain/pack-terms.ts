// An order's terms as stored in a payment's row: the fields one after the other, as in Solidity's abi.encodePacked. As
// JSON, they take three times the space, in the widest row of a payment.
import { bytesToBigInt, bytesToHex, encodePacked, getAddress } from "viem";
import { orderTermsAbi } from "./abi/order-terms.ts";
import { restoreTerms, type StoredTerms } from "./terms.ts";

type Field = { name: keyof StoredTerms; type: string; start: number; length: number };

/** Returns the number of bytes of a packed value. */
function packedLength(type: string): number {
  if (type === "bool") return 1;
  if (type === "address") return 20;
  if (type.startsWith("bytes")) return Number(type.slice("bytes".length));
  return Number(type.slice("uint".length)) / 8;
}

const { components } = orderTermsAbi;

/** Returns where the field with this index starts, or where the last field ends. */
const startOf = (index: number): number =>
  components.slice(0, index).reduce((end, { type }) => end + packedLength(type), 0);

/** The fields, and where they are in the packed terms. */
const FIELDS: Field[] = components.map(({ name, type }, index) => ({
  ...{ name, type },
  start: startOf(index),
  length: packedLength(type),
}));

/** The number of bytes of packed terms. */
export const PACKED_TERMS_LENGTH = startOf(components.length);

/** Returns where a field is in the packed terms. `start` counts from 0. */
export function findField(name: keyof StoredTerms): { start: number; length: number } {
  const field = FIELDS.find((one) => one.name === name);
  if (!field) throw new Error(`The terms have no field ${name}.`);
  return field;
}

export function packTerms(stored: StoredTerms): Buffer {
  const terms = restoreTerms(stored);
  const packed = encodePacked(
    FIELDS.map(({ type }) => type),
    FIELDS.map(({ name }) => terms[name]),
  );
  return Buffer.from(packed.slice(2), "hex");
}

function unpackField({ name, type, start, length }: Field, bytes: Uint8Array): unknown {
  const value = bytes.subarray(start, start + length);
  if (type === "address") return getAddress(bytesToHex(value));
  if (type.startsWith("bytes")) return bytesToHex(value);
  const number = bytesToBigInt(value);
  if (type === "bool") return number === 1n;
  return name === "amount" ? number.toString() : Number(number);
}

/** Addresses are returned with their checksum, other bytes in lower case. @throws for bytes of another length */
export function unpackTerms(bytes: Uint8Array): StoredTerms {
  if (bytes.length !== PACKED_TERMS_LENGTH) throw new Error(`Packed terms have ${bytes.length} bytes.`);
  return Object.fromEntries(FIELDS.map((field) => [field.name, unpackField(field, bytes)])) as StoredTerms;
}
