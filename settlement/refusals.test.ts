import { describe, it } from "bun:test";
import { expect } from "chai";
import { numberToHex } from "viem";
import { Refusals } from "./refusals.ts";

const HOUR_MS = 3_600_000;
const id = (n: number) => numberToHex(n, { size: 32 });

function start(count: number) {
  const clock = { now: 0 };
  const refusals = new Refusals(() => clock.now);
  const ids = Array.from({ length: count }, (_, n) => id(n));
  for (const one of ids) refusals.add(one);
  return { clock, refusals, ids };
}

describe("a refused order", () => {
  it("is left out for 5 s, then for twice as long each time, at most an hour", () => {
    const { clock, refusals } = start(1);
    for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]) {
      clock.now += seconds * 1_000 - 1;
      expect(refusals.excluded()).to.deep.equal([id(0)]);
      clock.now += 1;
      expect(refusals.excluded()).to.deep.equal([]);
      refusals.add(id(0));
    }
  });

  it("that is accepted at last is an order like any other", () => {
    const { refusals } = start(1);
    refusals.forget(id(0));
    expect(refusals.excluded()).to.deep.equal([]);
  });

  it("that is not due any more is forgotten", () => {
    const { clock, refusals } = start(1);
    clock.now += 2 * HOUR_MS;
    refusals.excluded();
    expect(refusals.has(id(0))).to.equal(false);
  });

  it("waits its turn when there are ten thousand: a pass retries twenty, and the next pass others", () => {
    const { clock, refusals, ids } = start(10_000);
    expect(refusals.excluded()).to.have.length(10_000);
    clock.now += 5_000;
    const retried = () => {
      const excluded = new Set<string>(refusals.excluded());
      return ids.filter((one) => !excluded.has(one));
    };
    expect(retried()).to.deep.equal(ids.slice(0, 20));
    expect(retried()).to.deep.equal(ids.slice(20, 40));
    clock.now += 5_000;
    for (let pass = 2; pass < 500; pass++) refusals.excluded();
    expect(retried()).to.deep.equal(ids.slice(0, 20));
  });
});
