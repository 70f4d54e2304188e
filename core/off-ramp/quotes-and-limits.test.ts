import { describe, it } from "bun:test";
import { expect } from "chai";
import { computeQuote, findAmountProblem, showQuote } from "./quotes-and-limits.ts";

const terms = {
  mockPayout: { minMs: 10_000, maxMs: 30_000 },
  minimums: { OFF_RAMP_TO_RTP: 100n, OFF_RAMP_TO_BANK: 500n },
  fees: { OFF_RAMP_TO_RTP: { fixed: 25n, share: 10n }, OFF_RAMP_TO_BANK: { fixed: 0n, share: 0n } },
};

describe("a quote", () => {
  it.each([
    ["OFF_RAMP_MOCK", 100_000_000n, "0.00", "30s"],
    ["OFF_RAMP_TO_BANK", 100_000_000n, "0.00", "3d"],
    // The fee is 0.25 plus a thousandth of the amount, rounded up to hundredths.
    ["OFF_RAMP_TO_RTP", 100_000_000n, "0.35", "60s"],
    ["OFF_RAMP_TO_RTP", 100_000_001n, "0.36", "60s"],
    // The fee is never more than the amount itself.
    ["OFF_RAMP_TO_RTP", 100_000n, "0.10", "60s"],
  ] as const)("for %s of %p units says %s and %s", (method, amount, estimatedFee, estimatedDeliveryTime) => {
    const quote = computeQuote(terms, { method, amount, currency: "USDC" });
    expect(showQuote(quote, "USDC")).to.deep.equal({ estimatedFee, estimatedDeliveryTime });
  });

  it("has the currency's own decimals", () => {
    const asked = { method: "OFF_RAMP_TO_RTP", amount: 100n * 10n ** 18n, currency: "DAI" } as const;
    expect(computeQuote(terms, asked).fee).to.equal(35n * 10n ** 16n);
  });
});

describe("an amount", () => {
  const DAI = 10n ** 18n;

  it.each([
    ["OFF_RAMP_MOCK", "USDC", 1n],
    ["OFF_RAMP_MOCK", "DAI", 1n],
    ["OFF_RAMP_TO_RTP", "USDC", 1_000_000n],
    ["OFF_RAMP_TO_RTP", "DAI", DAI],
    ["OFF_RAMP_TO_RTP", "DAI", (101n * DAI) / 100n],
    ["OFF_RAMP_TO_BANK", "USDT", 5_010_000n],
  ] as const)("is carried by %s in %s: %p units", (method, currency, amount) => {
    expect(findAmountProblem(terms, { method, currency, amount })).to.equal(undefined);
  });

  it.each([
    ["OFF_RAMP_TO_RTP", "USDC", 1n],
    ["OFF_RAMP_TO_RTP", "USDC", 990_000n],
    ["OFF_RAMP_TO_RTP", "USDC", 1_000_001n],
    ["OFF_RAMP_TO_RTP", "USDC", 1_001_000n],
    ["OFF_RAMP_TO_RTP", "DAI", DAI + 1n],
  ] as const)("is not carried by %s in %s: %p units, and the minimum and the step are named", (...asked) => {
    const [method, currency, amount] = asked;
    expect(findAmountProblem(terms, { method, currency, amount })).to.equal(
      `${method} supports at least 1.00 ${currency}, in steps of 0.01`,
    );
  });

  it("has a minimum that depends on the method", () => {
    const asked = { method: "OFF_RAMP_TO_BANK", currency: "USDC" } as const;
    const problem = findAmountProblem(terms, { ...asked, amount: 4_990_000n });
    expect(problem).to.include("at least 5.00 USDC");
    expect(findAmountProblem(terms, { ...asked, amount: 5_000_000n })).to.equal(undefined);
  });
});
