import { describe, expect, it } from "bun:test";
import { pgTable } from "drizzle-orm/pg-core";
import { sealLeaves } from "./schema/seal-leaves.ts";

const { column } = pgTable("seal", { column: sealLeaves() });
const write = (leaves: string[]) => column.mapToDriverValue(leaves) as Buffer;
const read = (bytes: Buffer) => column.mapFromDriverValue(bytes);

const LEAVES = [`1:${"0a".repeat(32)}`, `281474976710655:${"ff".repeat(32)}`];

describe("the leaves of a seal", () => {
  it("are read as they were written", () => {
    for (const leaves of [[], LEAVES.slice(1), LEAVES]) expect(read(write(leaves))).toEqual(leaves);
    expect(write(LEAVES)).toHaveLength(2 * 38);
  });

  it("differ after every change of their bytes", () => {
    const bytes = write(LEAVES);
    const changed = [
      Buffer.concat([bytes, Buffer.from([0])]),
      bytes.subarray(0, -1),
      bytes.subarray(0, -38),
      ...Array.from(bytes, (byte, index) => {
        const copy = Buffer.from(bytes);
        copy[index] = byte ^ 1;
        return copy;
      }),
    ];
    const texts = new Set([bytes, ...changed].map((one) => JSON.stringify(read(one))));
    expect(texts.size).toBe(1 + changed.length);
  });

  it("are rejected if they have another form", () => {
    for (const leaf of ["7:a", "7", `-1:${"0a".repeat(32)}`, `7:${"0g".repeat(32)}`, `x:${"0a".repeat(32)}`])
      expect(() => write([leaf]), leaf).toThrow();
  });
});
