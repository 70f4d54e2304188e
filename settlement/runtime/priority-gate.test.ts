import { describe, it } from "bun:test";
import { expect } from "chai";
import { PriorityGate } from "./priority-gate.ts";

const NEVER_MS = 1_000_000;

/** Returns work that counts how often it is woken. */
function countWakes() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const one = {
    times: 0,
    woken: promise,
    wake() {
      one.times++;
      resolve();
    },
  };
  return one;
}

describe("low-priority work", () => {
  it("is woken immediately if nothing else runs", () => {
    const one = countWakes();
    new PriorityGate(NEVER_MS).wake(one);
    expect(one.times).to.equal(1);
  });

  it("is woken once when the high-priority work has ended, regardless of the number of calls, and other work is not woken", async () => {
    const gate = new PriorityGate(NEVER_MS);
    const [one, other] = [countWakes(), countWakes()];
    await gate.runFirst(async () => {
      gate.wake(one);
      gate.wake(one);
      expect(one.times).to.equal(0);
    });
    await one.woken;
    expect([one.times, other.times]).to.deep.equal([1, 0]);
  });

  it("keeps waiting while one high-priority batch follows another", async () => {
    const gate = new PriorityGate(NEVER_MS);
    const [one, other] = [countWakes(), countWakes()];
    const second = Promise.withResolvers<void>();
    await gate.runFirst(async () => gate.wake(one));
    const running = gate.runFirst(() => second.promise);
    gate.wake(other);
    expect([one.times, other.times]).to.deep.equal([0, 0]);
    second.resolve();
    await Promise.all([running, one.woken, other.woken]);
  });

  it("does not wait forever", async () => {
    const gate = new PriorityGate(20);
    const one = countWakes();
    const endless = Promise.withResolvers<void>();
    const running = gate.runFirst(() => endless.promise);
    gate.wake(one);
    await one.woken;
    endless.resolve();
    await running;
    gate.stop();
  });

  it("is woken even if the high-priority work has failed", async () => {
    const gate = new PriorityGate(NEVER_MS);
    const one = countWakes();
    const failed = gate.runFirst(async () => {
      gate.wake(one);
      throw new Error("no");
    });
    await failed.catch(() => undefined);
    await one.woken;
  });
});

describe("a pause", () => {
  it("ends immediately if nothing else runs; otherwise it lasts until the other work has ended", async () => {
    const gate = new PriorityGate(NEVER_MS);
    await gate.pause();
    const done: string[] = [];
    const paused = gate.runFirst(async () => {
      const over = gate.pause().then(() => done.push("paused"));
      await Promise.resolve();
      done.push("running");
      return { over };
    });
    await (await paused).over;
    expect(done).to.deep.equal(["running", "paused"]);
  });
});
