// The indexer's head is below the high-water mark because the chain was reorged, because the indexer went back, or for
// both reasons.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { numberToHex } from "viem";
import { deployment } from "#core/db/schema/deployments.ts";
import { openHighWaterMark } from "#core/indexer-state/high-water-mark.ts";
import { blockAt } from "./support/fake-rpc.ts";
import { type Answers, makeWorld, type World } from "./support/world.ts";

const CATCHING_UP =
  "The indexer is catching up with the blockchain. Nothing was lost. Try again in a moment.";

/** The chain's height, and the block above which its branch has changed. */
const chain = { tip: 0, forkedAbove: Infinity };
let asked = 0;
const answers: Answers = {
  eth_blockNumber: () => {
    asked++;
    return numberToHex(chain.tip);
  },
  eth_getBlockByNumber: ([number]) => {
    asked++;
    const block = Number(number);
    if (block > chain.tip) return null;
    return blockAt(block, block > chain.forkedAbove ? 1 : 0);
  },
};

let world: World;

beforeAll(async () => {
  world = await makeWorld({ answers });
});
afterAll(() => world.close());
afterEach(async () => {
  Object.assign(chain, { tip: 0, forkedAbove: Infinity });
  await world.context.database.update(deployment).set({ highWaterBlock: 0 });
});

/** Lets the indexer and its readers reach this block. */
async function reach(block: number): Promise<void> {
  chain.tip = Math.max(chain.tip, block);
  await world.chain.head(block);
  await world.context.reader.head();
}

async function headAt(block: number): Promise<number | string> {
  await world.chain.head(block);
  return world.context.reader.head().then(
    (head) => head.block,
    (error: Error) => error.message,
  );
}

describe("an indexer below the high-water mark", () => {
  it("is not trusted while the chain is unchanged", async () => {
    await reach(90);
    await reach(100);
    expect(await headAt(60)).to.equal(CATCHING_UP);
    expect(await headAt(99)).to.equal(CATCHING_UP);
    expect(await headAt(100)).to.equal(100);
  });

  it("is not trusted while it follows a reorg to a branch of the same length, on which it counts fewer confirmations", async () => {
    await reach(90);
    await reach(100);
    chain.forkedAbove = 97;
    expect(await headAt(97)).to.equal(CATCHING_UP);
    expect(await headAt(98)).to.equal(CATCHING_UP);
    expect(await headAt(100)).to.equal(100);
  });

  it("is trusted at the tip of a shorter branch, and above it", async () => {
    await reach(90);
    await reach(100);
    Object.assign(chain, { forkedAbove: 96, tip: 98 });
    expect(await headAt(96)).to.equal(CATCHING_UP);
    expect(await headAt(98)).to.equal(98);
    chain.tip = 99;
    expect(await headAt(99)).to.equal(99);
  });

  it("is trusted where a reorg has ended the chain", async () => {
    await reach(90);
    await reach(100);
    Object.assign(chain, { forkedAbove: 97, tip: 97 });
    expect(await headAt(97)).to.equal(97);
    expect(await headAt(98)).to.equal(98);
  });

  it("is not trusted again below a second reorg", async () => {
    await reach(90);
    await reach(100);
    Object.assign(chain, { forkedAbove: 97, tip: 101 });
    expect(await headAt(98)).to.equal(CATCHING_UP);
    expect(await headAt(101)).to.equal(101);
    expect(await headAt(95)).to.equal(CATCHING_UP);
  });

  it("is not trusted below a reorg that happened while it restarted", async () => {
    await reach(90);
    await reach(100);
    Object.assign(chain, { forkedAbove: 97, tip: 103 });
    expect(await headAt(60)).to.equal(CATCHING_UP);
    expect(await headAt(96)).to.equal(CATCHING_UP);
    expect(await headAt(97)).to.equal(CATCHING_UP);
    expect(await headAt(100)).to.equal(100);
  });

  it("is not trusted if the node lags behind the mark", async () => {
    await reach(90);
    await reach(100);
    chain.tip = 96;
    expect(await headAt(60)).to.equal(CATCHING_UP);
    expect(await headAt(95)).to.equal(CATCHING_UP);
    expect(await headAt(96)).to.equal(96);
  });

  it("is trusted at the tip of a much shorter branch", async () => {
    await reach(90);
    await reach(100);
    Object.assign(chain, { forkedAbove: 50, tip: 60 });
    expect(await headAt(50)).to.equal(CATCHING_UP);
    expect(await headAt(60)).to.equal(60);
  });

  it("is trusted at the tip of a second, shorter branch, also while it waits for the first", async () => {
    await reach(100);
    Object.assign(chain, { forkedAbove: 95, tip: 98 });
    expect(await headAt(96)).to.equal(CATCHING_UP);
    chain.tip = 97;
    expect(await headAt(96)).to.equal(CATCHING_UP);
    expect(await headAt(97)).to.equal(97);
  });

  it("is trusted at the tip of a shorter branch that follows one of the same length", async () => {
    await reach(100);
    chain.forkedAbove = 97;
    expect(await headAt(97)).to.equal(CATCHING_UP);
    expect(await headAt(100)).to.equal(100);
    Object.assign(chain, { forkedAbove: 96, tip: 99 });
    expect(await headAt(99)).to.equal(99);
  });

  it("is trusted at the real tip after a node has claimed a higher one", async () => {
    await reach(100);
    Object.assign(chain, { forkedAbove: 96, tip: 1_000 });
    expect(await headAt(96)).to.equal(CATCHING_UP);
    chain.tip = 98;
    expect(await headAt(98)).to.equal(98);
  });

  it("is not trusted while it restarts and the node is below it", async () => {
    await reach(100);
    chain.tip = 0;
    expect(await headAt(60)).to.equal(CATCHING_UP);
    chain.tip = 100;
    expect(await headAt(60)).to.equal(CATCHING_UP);
  });

  it("is trusted at the tip after any sequence of reorgs", async () => {
    for (let first = 95; first <= 101; first++) {
      for (let second = 95; second <= 101; second++) {
        for (let third = 95; third <= 101; third++) {
          await reach(100);
          for (const tip of [first, second, third]) {
            Object.assign(chain, { tip, forkedAbove: 94 });
            await headAt(95);
          }
          expect(await headAt(third), `${first} ${second} ${third}`).to.equal(third);
          await world.context.database.update(deployment).set({ highWaterBlock: 0 });
        }
      }
    }
  });

  it("is not trusted below what others have read", async () => {
    await reach(100);
    chain.tip = 110;
    expect(await headAt(105)).to.equal(105);
    chain.forkedAbove = 103;
    expect(await headAt(102)).to.equal(CATCHING_UP);
    expect(await headAt(105)).to.equal(105);
  });

  it("costs concurrent readers one shared request", async () => {
    await reach(100);
    await world.chain.head(60);
    const reading = () => world.context.reader.head().catch((error: Error) => error.message);
    const reported = await Promise.all(Array.from({ length: 20 }, reading));
    expect(new Set(reported)).to.deep.equal(new Set([CATCHING_UP]));
    const { database, client, deployment: current } = world.context;
    const mark = openHighWaterMark(database, client, current, 0);
    asked = 0;
    const lowered = await Promise.all(Array.from({ length: 20 }, () => mark.lower(100, 60)));
    expect(new Set(lowered)).to.deep.equal(new Set([false]));
    expect(asked).to.equal(1);
  });
});
