import { describe, it } from "bun:test";
import { expect } from "chai";
import { bumpFees, isWorthRaising } from "./fees.ts";

const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas });

describe("a replacement's fees", () => {
  it("are significantly higher in both parts", () => {
    expect(bumpFees(fees(100n, 8n), fees(50n, 1n))).to.deep.equal(fees(126n, 11n));
  });

  it("follow the market if it has risen further", () => {
    expect(bumpFees(fees(100n, 8n), fees(500n, 20n))).to.deep.equal(fees(500n, 20n));
  });

  it("increase even if nothing was offered before", () => {
    expect(bumpFees(fees(0n, 0n), fees(0n, 0n))).to.deep.equal(fees(1n, 1n));
  });

  it("are not raised indefinitely while the chain is halted", () => {
    const today = fees(100n, 1n);
    let offer = today;
    let raised = 0;
    for (; isWorthRaising(offer, today); raised++) offer = bumpFees(offer, today);
    expect(raised).to.be.lessThan(10);
    expect(offer.maxFeePerGas < 700n).to.equal(true);
  });
});
