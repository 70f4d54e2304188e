import { describe, it } from "bun:test";
import { expect } from "chai";
import pino from "pino";
import { Problems } from "./problems.ts";
import { Worker } from "./worker.ts";

const quiet = () => new Problems(pino({ level: "silent" }));

describe("a worker", () => {
  it("never runs twice at the same time, and runs once more if it was woken meanwhile", async () => {
    let now = 0;
    let most = 0;
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const worker = new Worker(
      "test",
      async () => {
        most = Math.max(most, ++now);
        if (++runs === 1) await gate.promise;
        else second.resolve();
        now--;
      },
      quiet(),
    );
    for (let i = 0; i < 10; i++) worker.wake();
    gate.resolve();
    await second.promise;
    await worker.stop();
    expect({ most, runs }).to.deep.equal({ most: 1, runs: 2 });
  });

  it("does not lose a wake-up in any microtask at the end of a run", async () => {
    for (let microtasks = 0; microtasks < 10; microtasks++) {
      let runs = 0;
      const worker = new Worker("test", async () => void runs++, quiet());
      worker.wake();
      for (let i = 0; i < microtasks; i++) await Promise.resolve();
      worker.wake();
      await new Promise(setImmediate);
      expect(runs, `${microtasks} microtasks after the first wake`).to.equal(2);
      await worker.stop();
    }
  });

  it("that has an interval runs immediately, then once for all wake-ups within the interval, and ends without it", async () => {
    const starts: number[] = [];
    const second = Promise.withResolvers<void>();
    const run = async () => void (starts.push(performance.now()) === 2 && second.resolve());
    const worker = new Worker("test", run, quiet(), 50);
    worker.wake();
    expect(starts).to.have.length(1);
    await new Promise(setImmediate);
    for (let i = 0; i < 10; i++) worker.wake();
    await second.promise;
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).to.be.at.least(49);
    const slow = new Worker("test", run, quiet(), 3_600_000);
    slow.wake();
    await new Promise(setImmediate);
    slow.wake();
    await Promise.all([worker.stop(), slow.stop()]);
    expect(starts).to.have.length(3);
  });

  it("retries on its own after an error", async () => {
    const worked = Promise.withResolvers<void>();
    let runs = 0;
    const worker = new Worker(
      "test",
      async () => {
        if (++runs < 3) throw new Error("away");
        worked.resolve();
      },
      quiet(),
    );
    worker.wake();
    await worked.promise;
    await worker.stop();
    expect(runs).to.equal(3);
  });

  it("finishes the work in progress when it is stopped, and does not start anything else", async () => {
    const gate = Promise.withResolvers<void>();
    let finished = 0;
    const worker = new Worker(
      "test",
      async () => {
        await gate.promise;
        finished++;
      },
      quiet(),
    );
    worker.wake();
    worker.wake();
    const stopped = worker.stop();
    gate.resolve();
    await stopped;
    worker.wake();
    await worker.stop();
    expect(finished).to.equal(1);
  });

  it("aborts a long run when it is stopped, and does not start another", async () => {
    let runs = 0;
    const begun = Promise.withResolvers<void>();
    const worker = new Worker(
      "test",
      (stopping) => {
        runs++;
        begun.resolve();
        return new Promise((_, reject) => {
          stopping.addEventListener("abort", () => reject(stopping.reason));
        });
      },
      quiet(),
    );
    worker.wake();
    await begun.promise;
    worker.wake();
    await worker.stop();
    expect(runs).to.equal(1);
  });
});
