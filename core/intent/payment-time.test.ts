import { describe, it } from "bun:test";
import { expect } from "chai";
import { paymentTime, wallTime } from "./payment-time.ts";

const NOW = 1_800_000_000;

describe("the payment time", () => {
  it("is the chain's time if its clock was moved ahead", () => {
    expect(paymentTime({ timestamp: NOW + 2_592_000 }, NOW)).to.equal(NOW + 2_592_000);
  });

  it("is wall time if the indexer lags or has seen no block", () => {
    expect(paymentTime({ timestamp: NOW - 600 }, NOW)).to.equal(NOW);
    expect(paymentTime({ timestamp: 0 })).to.be.within(wallTime() - 1, wallTime());
  });
});
