import { describe, it } from "bun:test";
import { expect } from "chai";
import { formatAmount, parseAmount } from "../money.ts";
import { readTokens } from "./token-config.ts";

const ONE = "0x1111111111111111111111111111111111111111";
const TWO = "0x2222222222222222222222222222222222222222";
const read = (value: unknown) => readTokens(JSON.stringify(value));

describe("TOKENS", () => {
  it("lists any number of tokens, each with a displayed symbol, an on-chain symbol, an address and decimals", () => {
    const { tokens, units } = read({
      USDC: ONE,
      "USDC.b": { address: TWO, decimals: 18, symbol: "USDC" },
      EURC: { address: ONE, decimals: 6 },
    });
    expect(tokens).to.deep.equal({ USDC: ONE, "USDC.b": TWO, EURC: ONE });
    expect(units).to.deep.equal({
      USDC: { decimals: 6, symbol: "USDC" },
      "USDC.b": { decimals: 18, symbol: "USDC" },
      EURC: { decimals: 6, symbol: "EURC" },
    });
    expect(parseAmount("1.5", "USDC.b")).to.equal(15n * 10n ** 17n);
    expect(formatAmount(1_500_000n, "EURC")).to.equal("1.50");
  });

  it("may list a token with two decimals", () => {
    read({ GUSD: { address: ONE, decimals: 2 } });
    expect(formatAmount(5n, "GUSD")).to.equal("0.05");
    expect(parseAmount("0.05", "GUSD")).to.equal(5n);
    expect(parseAmount("0.055", "GUSD")).to.equal("too_precise");
  });

  it.each([
    ["no token", {}, "at least"],
    ["only an address for a symbol with unknown decimals", { GOLD: ONE }, "TOKENS/GOLD"],
    ["an invalid address", { USDC: "0x1" }, "TOKENS/USDC"],
    ["decimals that banks do not support", { EURC: { address: ONE, decimals: 1 } }, "TOKENS/EURC"],
    ["an unknown field", { EURC: { address: ONE, decimals: 6, name: "Euro" } }, "TOKENS/EURC"],
    ["an invalid symbol", { "<b>": ONE }, "TOKENS/<b>"],
    ["other decimals under a well-known symbol", { USDC: { address: ONE, decimals: 18 } }, '"USDC.b"'],
  ])("is rejected with %s", (_, tokens, named) => {
    expect(() => read(tokens)).to.throw(named);
  });

  it("is rejected if it is not JSON", () => {
    expect(() => readTokens("USDC")).to.throw("TOKENS must be JSON");
  });
});
