import { describe, it } from "bun:test";
import { expect } from "chai";
import { type IntentRow, viewOfNew } from "./read-intent.ts";

/** Returns the confirmation time on a network with this many seconds between blocks. */
const read = (blockTime: number, confirmations: number) =>
  viewOfNew(
    {
      ...{ amount: 1n, terms: { fundingDeadline: 1_000, amount: "1" }, lastEmittedStatus: "INITIATED" },
      ...{ payer: null, canceledAt: null, createdAt: new Date(0), updatedAt: new Date(0) },
    } as unknown as IntentRow,
    { chain: { blockTime, confirmations } } as Parameters<typeof viewOfNew>[1],
  ).facts.confirmationTime;

describe("the duration of a payment's confirmations", () => {
  it("is rounded up to whole seconds if blocks take fractions of a second, because due times are whole seconds", () => {
    expect(read(0.25, 5)).to.equal(2);
    expect(read(0.4, 12)).to.equal(5);
    expect(read(0.01, 5)).to.equal(1);
  });

  it("is exact if blocks take whole seconds", () => {
    expect(read(12, 5)).to.equal(60);
  });
});
