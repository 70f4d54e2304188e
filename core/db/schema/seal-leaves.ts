// The column type for the leaves of a seal of the audit log.
import { customType } from "drizzle-orm/pg-core";

const POSITION_BYTES = 6;
const HASH_BYTES = 32;
/** The trigger `check_audit_archive` counts a seal's rows by this number. */
export const LEAF_BYTES = POSITION_BYTES + HASH_BYTES;

const LEAF = /^(\d+):([0-9a-f]{64})$/;

const packLeaf = (leaf: string): Buffer => {
  const [, position, hash = ""] = LEAF.exec(leaf) ?? [];
  if (position === undefined) throw new Error(`Not a leaf of the audit log: ${leaf}`);
  const bytes = Buffer.alloc(LEAF_BYTES);
  bytes.writeUIntBE(Number(position), 0, POSITION_BYTES);
  bytes.write(hash, POSITION_BYTES, "hex");
  return bytes;
};

/** Bytes that are not a leaf become text that is not one either, so that no change of the bytes is unnoticed. */
const unpackLeaf = (bytes: Buffer): string =>
  bytes.length === LEAF_BYTES
    ? `${bytes.readUIntBE(0, POSITION_BYTES)}:${bytes.toString("hex", POSITION_BYTES)}`
    : bytes.toString("hex");

/** `position:hash` of each sealed row. It takes 38 bytes, about half of the text. */
export const sealLeaves = customType<{ data: string[]; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: (leaves) => Buffer.concat(leaves.map(packLeaf)),
  fromDriver: (bytes) =>
    Array.from({ length: Math.ceil(bytes.length / LEAF_BYTES) }, (_, index) =>
      unpackLeaf(bytes.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES)),
    ),
});
