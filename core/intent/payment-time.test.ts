import { describe, it } from "bun:test";
import { expect } from "chai";
import { paymentTime, wallTime } from "./payment-time.ts";

const NOW = 1_800_000_000;

describe("the time by which payments are judged", () => {
  it("is the chain's where its clock was moved ahead", () => {
    expect(paymentTime({ timestamp: NOW + 2_592_000 }, NOW)).to.equal(NOW + 2_592_000);
  });

  it("is wall time where the indexer is behind, or has seen no block", () => {
    expect(paymentTime({ timestamp: NOW - 600 }, NOW)).to.equal(NOW);
    expect(paymentTime({ timestamp: 0 })).to.be.within(wallTime() - 1, wallTime());
  });
});
