import { describe, it } from "bun:test";
import { expect } from "chai";
import { InLulls } from "./in-lulls.ts";

const NEVER_MS = 1_000_000;

/** A task that counts, and tells when it is run. */
function counted(longestMs = NEVER_MS) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = { runs: 0 };
  const lulls = new InLulls(() => {
    seen.runs++;
    resolve();
  }, longestMs);
  return { lulls, seen, run: promise };
}

describe("what can wait", () => {
  it("is done at once where nothing else is", () => {
    const { lulls, seen } = counted();
    lulls.ask();
    expect(seen.runs).to.equal(1);
  });

  it("is done once, when what cannot wait is done, however often it was asked for", async () => {
    const { lulls, seen, run } = counted();
    await lulls.rush(async () => {
      lulls.ask();
      lulls.ask();
      expect(seen.runs).to.equal(0);
    });
    await run;
    lulls.ask();
    expect(seen.runs).to.equal(2);
  });

  it("waits on while one rush follows another", async () => {
    const { lulls, seen, run } = counted();
    const second = Promise.withResolvers<void>();
    await lulls.rush(async () => lulls.ask());
    const rushed = lulls.rush(() => second.promise);
    lulls.ask();
    expect(seen.runs).to.equal(0);
    second.resolve();
    await Promise.all([rushed, run]);
    expect(seen.runs).to.equal(1);
  });

  it("does not wait for ever", async () => {
    const { lulls, run } = counted(20);
    const endless = Promise.withResolvers<void>();
    const rushed = lulls.rush(() => endless.promise);
    lulls.ask();
    await run;
    endless.resolve();
    await rushed;
    lulls.stop();
  });

  it("is done although what could not wait has failed", async () => {
    const { lulls, run } = counted();
    const failed = lulls.rush(async () => {
      lulls.ask();
      throw new Error("no");
    });
    await failed.catch(() => undefined);
    await run;
  });
});
