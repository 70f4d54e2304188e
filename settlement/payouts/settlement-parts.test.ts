import { describe, it } from "bun:test";
import { expect } from "chai";
import { joinUnpayable, splitSettlement } from "./settlement-parts.ts";

describe("a settlement is paid out", () => {
  it("in one part, without milestones", () => {
    expect(splitSettlement({ before: 0n, amount: 100n }, [])).to.deep.equal([100n]);
  });

  it("by milestone, each in the settlement that included it", () => {
    const milestones = [20n, 30n, 50n];
    expect(splitSettlement({ before: 0n, amount: 20n }, milestones)).to.deep.equal([20n]);
    expect(splitSettlement({ before: 20n, amount: 80n }, milestones)).to.deep.equal([30n, 50n]);
    expect(splitSettlement({ before: 0n, amount: 100n }, milestones)).to.deep.equal([20n, 30n, 50n]);
  });

  it("in the same parts even if more has been released since", () => {
    expect(splitSettlement({ before: 20n, amount: 30n }, [20n, 30n, 50n])).to.deep.equal([30n]);
  });

  it("with further releases by the payer or a dispute as a separate part", () => {
    expect(splitSettlement({ before: 20n, amount: 50n }, [20n, 30n])).to.deep.equal([30n, 20n]);
    expect(splitSettlement({ before: 50n, amount: 50n }, [20n, 30n])).to.deep.equal([50n]);
  });

  it("down to the last unit, for any milestones", () => {
    expect(splitSettlement({ before: 0n, amount: 25n }, [20n, 30n])).to.deep.equal([20n, 5n]);
  });
});

describe("parts that a bank does not accept", () => {
  const isPayable = (amount: bigint) => amount >= 10n && amount % 5n === 0n;

  it.each([
    ["are paid with those after them", [3n, 7n, 20n], [10n, 20n]],
    ["are paid with those before them, if they are the last", [20n, 12n, 3n], [20n, 15n]],
    ["are paid with as many others as necessary", [11n, 11n, 13n], [35n]],
    ["are paid together even if no sum of them is payable", [1n, 2n], [3n]],
    ["leave the other parts unchanged", [10n, 15n], [10n, 15n]],
  ])("%s", (_, parts, joined) => {
    expect(joinUnpayable(parts, isPayable)).to.deep.equal(joined);
  });
});
