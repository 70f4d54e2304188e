import { describe, it } from "bun:test";
import { expect } from "chai";
import { rememberFor } from "./remember.ts";

describe("a cached read", () => {
  it("is made once for all callers within its lifetime, and repeated afterwards", async () => {
    let reads = 0;
    const ask = rememberFor(60_000, async () => ++reads);
    expect(await Promise.all([ask(), ask(), ask()])).to.deep.equal([1, 1, 1]);
    const askAlways = rememberFor(0, async () => ++reads);
    expect([await askAlways(), await askAlways()]).to.deep.equal([2, 3]);
  });

  it("that fails is repeated for the next caller", async () => {
    let fails = true;
    const ask = rememberFor(60_000, async () => {
      if (fails) throw new Error("away");
      return "there";
    });
    const outcomes = await Promise.allSettled([ask(), ask()]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    fails = false;
    expect(await ask()).to.equal("there");
  });
});
