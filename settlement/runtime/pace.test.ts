import { describe, it } from "bun:test";
import { expect } from "chai";
import { Pace } from "./pace.ts";

const EVERY_MS = 40;

/** Returns how long a number of waits took, in milliseconds. */
async function measure(pace: Pace, waits: number): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < waits; i++) await pace.wait();
  return performance.now() - start;
}

describe("a pace", () => {
  it("lets the first pages pass, and the others one per interval", async () => {
    const pace = new Pace(EVERY_MS, 2);
    expect(await measure(pace, 3)).to.be.below(EVERY_MS);
    expect(await measure(pace, 3)).to.be.at.least(2 * EVERY_MS);
  });

  it("lets the first pages pass in a process that has just started", async () => {
    expect(await measure(new Pace(3_600_000, 2), 3)).to.be.below(60_000);
  });

  it("ends a wait when the scan is stopped", async () => {
    const pace = new Pace(60_000, 0);
    await pace.wait();
    const stopping = new AbortController();
    const waiting = pace.wait(stopping.signal);
    stopping.abort();
    await waiting;
  });
});
