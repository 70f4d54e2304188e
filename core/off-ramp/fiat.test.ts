import { describe, it } from "bun:test";
import { expect } from "chai";
import { formatFiat, parseFiat, parseRate } from "./fiat.ts";

describe("a fiat amount", () => {
  it.each([
    ["91.82", "EUR", 9_182n, "91.82"],
    ["91.8", "EUR", 9_180n, "91.80"],
    ["91.820000", "EUR", 9_182n, "91.82"],
    ["15000", "JPY", 15_000n, "15000"],
    ["0.5", "KWD", 500n, "0.500"],
  ])("%s %s is read exactly", (text, currency, amount, shown) => {
    expect(parseFiat(text, currency)).to.equal(amount);
    expect(formatFiat({ amount, currency })).to.equal(shown);
  });

  it.each([
    ["91.825", "EUR"],
    ["-1", "EUR"],
    ["1e3", "EUR"],
    ["1", "eur"],
    ["1.5", "JPY"],
  ])("%s %s is rejected", (text, currency) => {
    expect(parseFiat(text, currency)).to.equal(undefined);
  });
});

it("a rate is an exact fraction, and never zero", () => {
  expect(parseRate("0.9215")).to.deep.equal({ numerator: 9_215n, denominator: 10_000n });
  expect(parseRate("0.0")).to.equal(undefined);
});
