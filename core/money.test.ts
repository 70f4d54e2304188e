import { describe, it } from "bun:test";
import { expect } from "chai";
import { formatAmount, MAX_AMOUNT, parseAmount } from "./money.ts";

describe("parseAmount", () => {
  it("reads decimals into the smallest unit", () => {
    expect(parseAmount("100.00", "USDC")).to.equal(100_000_000n);
    expect(parseAmount("1", "USDT")).to.equal(1_000_000n);
    expect(parseAmount("0.000000000000000001", "DAI")).to.equal(1n);
  });

  it.each([
    ["0", "not_positive"],
    ["0.000", "not_positive"],
    ["-1", "not_positive"],
    ["-0.5", "not_positive"],
    ["1e3", "malformed"],
    ["", "malformed"],
    [" 5", "malformed"],
    ["5 ", "malformed"],
    ["+5", "malformed"],
    [".5", "malformed"],
    ["5.", "malformed"],
    ["1,5", "malformed"],
    ["٣", "malformed"],
    ["NaN", "malformed"],
    ["0x10", "malformed"],
    ["00001", "malformed"],
    ["00.5", "malformed"],
    ["000", "not_positive"],
    ["1.1234567", "too_precise"],
    ["9".repeat(40), "too_large"],
    ["9".repeat(400), "too_large"],
  ])("names what is wrong with %j", (text, problem) => {
    expect(parseAmount(text, "USDC")).to.equal(problem);
  });

  it("accepts the largest amount that the contract can hold, and not one unit more", () => {
    expect(parseAmount(formatAmount(MAX_AMOUNT, "USDC"), "USDC")).to.equal(MAX_AMOUNT);
    expect(parseAmount(formatAmount(MAX_AMOUNT + 1n, "USDC"), "USDC")).to.equal("too_large");
  });
});

describe("formatAmount", () => {
  it("shows at least two decimal places and no more than needed", () => {
    expect(formatAmount(100_000_000n, "USDC")).to.equal("100.00");
    expect(formatAmount(1n, "USDC")).to.equal("0.000001");
    expect(formatAmount(1_500_000_000_000_000_000n, "DAI")).to.equal("1.50");
  });
});
