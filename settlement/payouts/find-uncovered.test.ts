import { describe, expect, it } from "bun:test";
import { findUncovered, splitUncovered } from "./find-uncovered.ts";
import { splitSettlement } from "./settlement-parts.ts";

/** Returns settlements of these amounts, numbered from 1. */
const settled = (...amounts: bigint[]) => amounts.map((amount, index) => ({ number: index + 1, amount }));
const plan = (number: number, part: number, amount: bigint) => ({ number, part, amount });

/** Returns the new payouts as `<settlement>.<part> <amount>`. */
function newPayouts(
  settlements: ReturnType<typeof settled>,
  planned: ReturnType<typeof plan>[],
  milestones: bigint[] = [],
): string[] {
  return findUncovered(settlements, planned).flatMap((uncovered) =>
    splitUncovered(uncovered, (range) => splitSettlement(range, milestones)).map(
      ({ part, amount }) => `${uncovered.settlement.number}.${part} ${amount}`,
    ),
  );
}

describe("the payouts that are missing", () => {
  it("are those of new settlements", () => {
    expect(newPayouts(settled(10n, 20n), [])).toEqual(["1.0 10", "2.0 20"]);
    expect(newPayouts(settled(10n, 20n), [plan(1, 0, 10n)])).toEqual(["2.0 20"]);
    expect(newPayouts(settled(10n, 20n), [plan(1, 0, 10n), plan(2, 0, 5n), plan(2, 1, 15n)])).toEqual([]);
  });

  it("have the same numbers again if the database has lost them", () => {
    const milestones = [10n, 20n, 30n];
    expect(newPayouts(settled(10n, 20n), [plan(2, 0, 20n)])).toEqual(["1.0 10"]);
    expect(newPayouts(settled(60n), [plan(1, 1, 20n)], milestones)).toEqual(["1.0 10", "1.2 30"]);
    expect(newPayouts(settled(60n), [plan(1, 0, 10n)], milestones)).toEqual(["1.1 20", "1.2 30"]);
  });

  it("pay the end of a settlement that has grown, under the numbers that follow its parts", () => {
    expect(newPayouts(settled(30n), [plan(1, 0, 10n)])).toEqual(["1.1 20"]);
    expect(newPayouts(settled(60n), [plan(1, 0, 5n), plan(1, 1, 5n)], [10n, 20n, 30n])).toEqual([
      "1.2 20",
      "1.3 30",
    ]);
  });

  it("are none if two settlements became one, or one became two", () => {
    expect(newPayouts(settled(30n), [plan(1, 0, 10n), plan(2, 0, 20n)])).toEqual([]);
    expect(newPayouts(settled(10n, 20n), [plan(1, 0, 10n), plan(1, 1, 20n)])).toEqual([]);
    expect(newPayouts(settled(20n, 10n), [plan(1, 0, 10n), plan(2, 0, 20n)])).toEqual([]);
  });

  it("pay what remains after the payouts of settlements that are gone", () => {
    expect(newPayouts(settled(30n), [plan(1, 0, 10n), plan(2, 0, 5n)])).toEqual(["1.1 15"]);
    expect(newPayouts(settled(5n, 20n, 30n), [plan(1, 0, 10n)])).toEqual(["2.0 15", "3.0 30"]);
  });

  it("are none while less is settled than was planned", () => {
    expect(newPayouts(settled(10n), [plan(1, 0, 30n)])).toEqual([]);
    expect(newPayouts([], [plan(1, 0, 30n)])).toEqual([]);
  });
});
