import { describe, it } from "bun:test";
import { expect } from "chai";
import { parseHead } from "./guard.ts";

/**
 * Builds a checkpoint in Ponder's format: timestamp 10, chain 16, block 16, transaction 16, event type 1, event 16
 * digits.
 */
const checkpoint = (timestamp: number, chain: number, block: number, rest = "9".repeat(33)) =>
  String(timestamp).padStart(10, "0") +
  String(chain).padStart(16, "0") +
  String(block).padStart(16, "0") +
  rest;

describe("the indexed head", () => {
  it("is read from the positions of Ponder's checkpoint", () => {
    expect(parseHead(checkpoint(1_795_251_528, 31_337, 42))).to.deep.equal({
      timestamp: 1_795_251_528,
      block: 42,
    });
  });

  it("does not depend on the chain id or on the checkpoint's position in the block", () => {
    const head = { timestamp: 1_795_251_528, block: 123_456_789 };
    expect(parseHead(checkpoint(head.timestamp, 1, head.block, "0".repeat(33)))).to.deep.equal(head);
    expect(parseHead(checkpoint(head.timestamp, 999_999_999_999, head.block))).to.deep.equal(head);
  });

  it("is block 0 before anything was indexed", () => {
    expect(parseHead("0".repeat(75))).to.deep.equal({ timestamp: 0, block: 0 });
  });
});
