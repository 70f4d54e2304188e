import { describe, it } from "bun:test";
import { expect } from "chai";
import pino from "pino";
import { Problems } from "./problems.ts";
import { Reconciler } from "./reconciler.ts";

const quiet = () => new Problems(pino({ level: "silent" }));

describe("a reconciler", () => {
  it("never runs twice at a time, and runs once more when it was woken meanwhile", async () => {
    let now = 0;
    let most = 0;
    let runs = 0;
    const gate = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const reconciler = new Reconciler(
      "test",
      async () => {
        most = Math.max(most, ++now);
        if (++runs === 1) await gate.promise;
        else second.resolve();
        now--;
      },
      quiet(),
    );
    for (let i = 0; i < 10; i++) reconciler.wake();
    gate.resolve();
    await second.promise;
    await reconciler.stop();
    expect({ most, runs }).to.deep.equal({ most: 1, runs: 2 });
  });

  it("tries again by itself after an error", async () => {
    const worked = Promise.withResolvers<void>();
    let runs = 0;
    const reconciler = new Reconciler(
      "test",
      async () => {
        if (++runs < 3) throw new Error("away");
        worked.resolve();
      },
      quiet(),
    );
    reconciler.wake();
    await worked.promise;
    await reconciler.stop();
    expect(runs).to.equal(3);
  });

  it("finishes what is in hand when it is stopped, and starts nothing more", async () => {
    const gate = Promise.withResolvers<void>();
    let finished = 0;
    const reconciler = new Reconciler(
      "test",
      async () => {
        await gate.promise;
        finished++;
      },
      quiet(),
    );
    reconciler.wake();
    reconciler.wake();
    const stopped = reconciler.stop();
    gate.resolve();
    await stopped;
    reconciler.wake();
    await reconciler.stop();
    expect(finished).to.equal(1);
  });

  it("tells a run that takes long to end when it is stopped, and begins no other", async () => {
    let runs = 0;
    const begun = Promise.withResolvers<void>();
    const reconciler = new Reconciler(
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
    reconciler.wake();
    await begun.promise;
    reconciler.wake();
    await reconciler.stop();
    expect(runs).to.equal(1);
  });
});
