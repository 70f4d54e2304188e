// Which way of paying is the shortest.
import { expect, test } from "bun:test";
import type { FundingMethod } from "#core/chain/funding-methods.ts";
import { shortest } from "./ways.ts";

const offered = (...methods: FundingMethod[]) => new Set(methods);
const ALL = offered("ERC_2612", "ERC_3009", "PERMIT2");
const NOTHING = { amount: 100n, allowance: 0n, permit2Allowance: 0n, isContract: false };

test("an allowance that covers the amount needs the payment's own signature alone, also a contract's", () => {
  expect(shortest(ALL, { ...NOTHING, allowance: 100n })).toBe("ALLOWANCE");
  expect(shortest(offered(), { ...NOTHING, allowance: 100n, isContract: true })).toBe("ALLOWANCE");
});

test("without one the order is: one signature, two signatures, transactions", () => {
  expect(shortest(ALL, { ...NOTHING, allowance: 99n })).toBe("ERC_3009");
  const withPermit2 = { ...NOTHING, permit2Allowance: 100n };
  expect(shortest(offered("ERC_2612", "PERMIT2"), withPermit2)).toBe("PERMIT2");
  expect(shortest(offered("ERC_2612", "PERMIT2"), { ...NOTHING, permit2Allowance: 99n })).toBe("ERC_2612");
  expect(shortest(offered("PERMIT2"), NOTHING)).toBeUndefined();
  expect(shortest(offered(), withPermit2)).toBeUndefined();
});

test("a payer who is a contract signs where contracts are asked, and else sends transactions", () => {
  const contract = { ...NOTHING, isContract: true };
  expect(shortest(ALL, contract)).toBeUndefined();
  expect(shortest(ALL, { ...contract, permit2Allowance: 100n })).toBe("PERMIT2");
});
