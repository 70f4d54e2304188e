import { describe, it } from "bun:test";
import { expect } from "chai";
import { quoteOf, showQuote } from "./settlement-methods.ts";

const terms = {
  mockPayout: { minMs: 10_000, maxMs: 30_000 },
  fees: { OFF_RAMP_TO_RTP: { fixed: 25n, share: 10n }, OFF_RAMP_TO_BANK: { fixed: 0n, share: 0n } },
};

describe("a quote", () => {
  it.each([
    ["OFF_RAMP_MOCK", 100_000_000n, "0.00", "30s"],
    ["OFF_RAMP_TO_BANK", 100_000_000n, "0.00", "3d"],
    // 0.25 and a thousandth of the amount, rounded up to hundredths.
    ["OFF_RAMP_TO_RTP", 100_000_000n, "0.35", "60s"],
    ["OFF_RAMP_TO_RTP", 100_000_001n, "0.36", "60s"],
    // Never more than there is.
    ["OFF_RAMP_TO_RTP", 100_000n, "0.10", "60s"],
  ] as const)("for %s of %p units says %s and %s", (method, amount, estimatedFee, estimatedDeliveryTime) => {
    const quote = quoteOf(terms, { method, amount, currency: "USDC" });
    expect(showQuote(quote, "USDC")).to.deep.equal({ estimatedFee, estimatedDeliveryTime });
  });

  it("is in the currency's own decimals", () => {
    const asked = { method: "OFF_RAMP_TO_RTP", amount: 100n * 10n ** 18n, currency: "DAI" } as const;
    expect(quoteOf(terms, asked).fee).to.equal(35n * 10n ** 16n);
  });
});
