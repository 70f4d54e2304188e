import { describe, expect, it } from "bun:test";
import { findUncovered } from "./find-uncovered.ts";

/** Returns settlements of these amounts, numbered from 1. */
const settled = (...amounts: bigint[]) => amounts.map((amount, index) => ({ number: index + 1, amount }));
const plan = (number: number, amount: bigint, nextPart = 1) => ({ number, amount: `${amount}`, nextPart });

describe("the amounts that payouts do not cover", () => {
  it("are those of new settlements", () => {
    expect(findUncovered(settled(10n, 20n), [])).toEqual([
      { number: 1, before: 0n, amount: 10n, firstPart: 0 },
      { number: 2, before: 10n, amount: 20n, firstPart: 0 },
    ]);
    expect(findUncovered(settled(10n, 20n), [plan(1, 10n)])).toEqual([
      { number: 2, before: 10n, amount: 20n, firstPart: 0 },
    ]);
    expect(findUncovered(settled(10n, 20n), [plan(1, 10n), plan(2, 20n, 3)])).toEqual([]);
  });

  it("include those of an earlier settlement whose payouts were lost", () => {
    expect(findUncovered(settled(10n, 20n), [plan(2, 20n)])).toEqual([
      { number: 1, before: 0n, amount: 10n, firstPart: 0 },
    ]);
  });

  it("are the end of a settlement that has grown, under the numbers that follow its parts", () => {
    expect(findUncovered(settled(30n), [plan(1, 10n, 2)])).toEqual([
      { number: 1, before: 10n, amount: 20n, firstPart: 2 },
    ]);
  });

  it("are nothing if two settlements became one, or one became two", () => {
    expect(findUncovered(settled(30n), [plan(1, 10n), plan(2, 20n)])).toEqual([]);
    expect(findUncovered(settled(10n, 20n), [plan(1, 30n, 2)])).toEqual([]);
    expect(findUncovered(settled(20n, 10n), [plan(1, 10n), plan(2, 20n)])).toEqual([]);
  });

  it("are what remains after the payouts of settlements that are gone", () => {
    expect(findUncovered(settled(30n), [plan(1, 10n), plan(2, 5n)])).toEqual([
      { number: 1, before: 15n, amount: 15n, firstPart: 1 },
    ]);
    expect(findUncovered(settled(5n, 20n, 30n), [plan(1, 10n)])).toEqual([
      { number: 2, before: 10n, amount: 15n, firstPart: 0 },
      { number: 3, before: 25n, amount: 30n, firstPart: 0 },
    ]);
  });

  it("are nothing while less is settled than was planned", () => {
    expect(findUncovered(settled(10n), [plan(1, 30n)])).toEqual([]);
    expect(findUncovered([], [plan(1, 30n)])).toEqual([]);
  });
});
