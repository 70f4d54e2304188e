import { describe, it } from "bun:test";
import { expect } from "chai";
import { partsOf } from "./settlement-parts.ts";

describe("a settlement is paid out", () => {
  it("whole, without milestones", () => {
    expect(partsOf({ before: 0n, amount: 100n }, [])).to.deep.equal([100n]);
  });

  it("by milestone, each in the settlement that took it", () => {
    const milestones = [20n, 30n, 50n];
    expect(partsOf({ before: 0n, amount: 20n }, milestones)).to.deep.equal([20n]);
    expect(partsOf({ before: 20n, amount: 80n }, milestones)).to.deep.equal([30n, 50n]);
    expect(partsOf({ before: 0n, amount: 100n }, milestones)).to.deep.equal([20n, 30n, 50n]);
  });

  it("the same although more has been released since", () => {
    expect(partsOf({ before: 20n, amount: 30n }, [20n, 30n, 50n])).to.deep.equal([30n]);
  });

  it("with what the payer or a dispute released besides, as a part of its own", () => {
    expect(partsOf({ before: 20n, amount: 50n }, [20n, 30n])).to.deep.equal([30n, 20n]);
    expect(partsOf({ before: 50n, amount: 50n }, [20n, 30n])).to.deep.equal([50n]);
  });

  it("to the last unit, whatever the milestones are said to be", () => {
    expect(partsOf({ before: 0n, amount: 25n }, [20n, 30n])).to.deep.equal([20n, 5n]);
  });
});
