import { describe, it } from "bun:test";
import { expect } from "chai";
import { inBatches } from "./batch.ts";

/** Creates a worker that fails for a batch with an item that `cannot` rejects, and records the other batches. */
function worker(cannot: (item: number) => Error | undefined) {
  const done: number[][] = [];
  const run = async (items: readonly number[]) => {
    for (const item of items) {
      const error = cannot(item);
      if (error) throw error;
    }
    done.push([...items]);
  };
  return { done, run };
}

const failureOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("batched work", () => {
  it("is done for at most the maximum batch size at once", async () => {
    const { done, run } = worker(() => undefined);
    await inBatches([1, 2, 3, 4, 5], 2, run);
    expect(done).to.deep.equal([[1, 2], [3, 4], [5]]);
  });

  it("is done for every item except those that fail, and reports why", async () => {
    const wrong = new Error("3 is wrong");
    const { done, run } = worker((item) => (item === 3 ? wrong : undefined));
    expect(await failureOf(inBatches([1, 2, 3, 4, 5], 2, run))).to.equal(wrong);
    expect(done).to.deep.equal([[1, 2], [4], [5]]);
  });

  it("stops if the database is unavailable", async () => {
    const away = Object.assign(new Error("terminating connection"), { code: "57P01" });
    const { done, run } = worker((item) => (item === 3 ? away : undefined));
    expect(await failureOf(inBatches([1, 2, 3, 4, 5], 2, run))).to.equal(away);
    expect(done).to.deep.equal([[1, 2]]);
  });
});
