import { describe, it } from "bun:test";
import { expect } from "chai";
import { type IntentRow, viewOfNew } from "./read-intent.ts";

/** Of a network with blocks each so many seconds. */
const read = (blockTime: number, confirmations: number) =>
  viewOfNew(
    {
      ...{ amount: 1n, terms: { fundingDeadline: 1_000, amount: "1" }, lastEmittedStatus: "INITIATED" },
      ...{ payer: null, canceledAt: null, createdAt: new Date(0), updatedAt: new Date(0) },
    } as unknown as IntentRow,
    { chain: { blockTime, confirmations } } as Parameters<typeof viewOfNew>[1],
  ).facts.confirmationTime;

describe("the time that the confirmations of a payment take", () => {
  it("is rounded up to seconds where blocks take a fraction of one, as due times have no fractions", () => {
    expect(read(0.25, 5)).to.equal(2);
    expect(read(0.4, 12)).to.equal(5);
    expect(read(0.01, 5)).to.equal(1);
  });

  it("is exact where they take whole seconds", () => {
    expect(read(12, 5)).to.equal(60);
  });
});
