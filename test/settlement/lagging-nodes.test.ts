// Several nodes behind one URL, one of which lags, while the indexer restarts.
import { afterAll, afterEach, beforeAll, describe, it } from "bun:test";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { asc, eq } from "drizzle-orm";
import { numberToHex } from "viem";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import type { IntentId } from "#core/ids.ts";
import { createIndexerGuard } from "#core/indexer-state/guard.ts";
import { type HighWaterMark, openHighWaterMark } from "#core/indexer-state/high-water-mark.ts";
import { createIntentReader } from "#core/intent/read-intent.ts";
import { BUILD } from "./support/chain-tables.ts";
import { createFullObserver } from "./support/full-observer.ts";
import { type Answers, makeWorld, PAYER, type World } from "./support/world.ts";

let next: () => Promise<number> | number = () => 0;
const answers: Answers = { eth_blockNumber: async () => numberToHex(await next()) };
let world: World;

beforeAll(async () => {
  world = await makeWorld({ answers, lagMs: 10_000 });
});
afterAll(() => world.close());
afterEach(async () => {
  await world.context.database.update(deployment).set({ highWaterBlock: 0 });
});

/** Every `every`th answer is that of a node that is at `lagging`; the others are true. */
function balanced(tip: number, lagging: number, every: number): void {
  let asked = 0;
  next = () => (++asked % every === 0 ? lagging : tip);
}

async function statusAt(head: number, id: IntentId): Promise<string> {
  await world.chain.head(head);
  return world.context.reader.find(id).then(
    (view) => view?.status ?? "missing",
    () => "503",
  );
}

const typesOf = async (id: IntentId) =>
  (
    await world.context.database
      .select()
      .from(event)
      .where(eq(event.intentId, id))
      .orderBy(asc(event.sequence))
  ).map(({ type }) => type.replace("payment_intent.", ""));

describe("a restarting indexer behind several nodes, of which one lags", () => {
  for (const [name, tip, lagging, every] of [
    ["one answer of five is four blocks old, and no block was mined during the restart", 100, 96, 5],
    ["one answer of forty is four blocks old", 100, 96, 40],
    ["one answer of forty is one block old", 100, 99, 40],
    ["one answer of forty is twenty blocks old, and the chain has grown", 105, 85, 40],
  ] as const) {
    it(`never shows a payment as less confirmed than before: ${name}`, async () => {
      const made = await world.addIntent();
      // Exactly five confirmations at block 100; ten for a node that is twenty blocks behind.
      const block = lagging < 90 ? 83 : 96;
      await world.chain.fund(made.orderId, made.terms, block, PAYER);
      next = () => 100;
      expect(await statusAt(100, made.id)).to.equal("SUCCEEDED");
      balanced(tip, lagging, every);
      const seen = new Set<string>();
      // Ten requests per indexed block, like an API under little load.
      for (let head = 70; head <= 100; head++) {
        for (let request = 0; request < 10; request++) {
          // The row exists from its block on.
          if (head >= block) seen.add(await statusAt(head, made.id));
          else await statusAt(head, made.id);
        }
      }
      await world.chain.removeOrder(made.orderId);
      expect([...seen].filter((status) => status !== "503")).to.deep.equal(["SUCCEEDED"]);
    });
  }

  it("sends the merchant no event about a reversal", async () => {
    const observe = createFullObserver(world.context);
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 96, PAYER);
    next = () => 100;
    await world.chain.head(100);
    await observe();
    expect(await typesOf(made.id)).to.deep.equal(["processing", "succeeded"]);
    balanced(103, 98, 3);
    for (let head = 96; head <= 103; head++) {
      await world.chain.head(head);
      await observe().catch(() => undefined);
    }
    const types = await typesOf(made.id);
    await world.chain.removeOrder(made.orderId);
    expect(types.filter((type) => /reverted|processing|succeeded/.test(type))).to.deep.equal([
      "processing",
      "succeeded",
    ]);
  });
});

/** Without a wait for lagging nodes: these tests are about races. */
const atOnce = () => {
  const { database, client, deployment: current } = world.context;
  return openHighWaterMark(database, client, current, 0);
};

describe("two replicas race", () => {
  it("does not trust a head that the mark has passed while the node was asked", async () => {
    const [slow, fast] = [atOnce(), atOnce()];
    await fast.raise(100);
    const answer = Promise.withResolvers<number>();
    let asked = false;
    next = () => {
      asked = true;
      return answer.promise;
    };
    const lowering = slow.lower(100, 96);
    while (!asked) await setImmediate();
    // Meanwhile the chain and the indexer have grown, and another replica has shown block 105.
    await fast.raise(105);
    answer.resolve(96);
    expect(await lowering).to.equal(false);
  });

  it("is trusted again with the next request if a slow reader raises the mark to a removed block", async () => {
    const mark = atOnce();
    await mark.raise(100);
    next = () => 97;
    expect(await mark.lower(100, 97)).to.equal(true);
    // A replica that has read block 100 before the reorg records it only now.
    await mark.raise(100);
    expect(await mark.lower(100, 97)).to.equal(true);
  });
});

describe("a chain that has become shorter", () => {
  const LAG_MS = 300;
  const openMark = async () => {
    const { database, client, deployment: current } = world.context;
    const mark = openHighWaterMark(database, client, current, LAG_MS);
    await mark.raise(100);
    return mark;
  };
  const readMark = async () =>
    (await world.context.database.select({ mark: deployment.highWaterBlock }).from(deployment))[0]?.mark;

  /** Asks until the head is trusted. @returns the milliseconds since the first question */
  async function untilTrusted(mark: HighWaterMark, head: number, everyMs: number): Promise<number> {
    const start = performance.now();
    while (!(await mark.lower(100, head))) {
      expect(performance.now() - start).to.be.below(10 * LAG_MS);
      await delay(everyMs);
    }
    return performance.now() - start;
  }

  it("is trusted once every answer has been below the mark for the time by which a node may lag", async () => {
    const mark = await openMark();
    next = () => 95;
    expect(await untilTrusted(mark, 95, 20)).to.be.at.least(LAG_MS);
    expect(await readMark()).to.equal(95);
  });

  it("is trusted by a reader that asks less often than that", async () => {
    const mark = await openMark();
    next = () => 95;
    expect(await mark.lower(100, 95)).to.equal(false);
    await delay(2 * LAG_MS);
    expect(await mark.lower(100, 95)).to.equal(true);
  });

  it("begins to wait again after an answer at the mark", async () => {
    const mark = await openMark();
    next = () => 95;
    expect(await mark.lower(100, 95)).to.equal(false);
    await delay(LAG_MS);
    next = () => 100;
    expect(await mark.lower(100, 95)).to.equal(false);
    next = () => 95;
    expect(await untilTrusted(mark, 95, 20)).to.be.at.least(LAG_MS);
  });

  it("lowers the mark to the highest answer only", async () => {
    const mark = await openMark();
    next = () => 97;
    expect(await mark.lower(100, 95)).to.equal(false);
    next = () => 95;
    await delay(LAG_MS);
    expect(await mark.lower(100, 95)).to.equal(false);
    expect(await readMark()).to.equal(97);
  });

  it("begins to wait again if the mark is raised after it was lowered", async () => {
    const mark = await openMark();
    next = () => 95;
    await untilTrusted(mark, 95, 20);
    await mark.raise(100);
    expect(await untilTrusted(mark, 95, 20)).to.be.at.least(LAG_MS);
  });
});

describe("a late answer", () => {
  it("is not the answer to a request that began after it was made", async () => {
    const { database, client, deployment: current } = world.context;
    const replica = createIndexerGuard({ database, client, deployment: current, build: BUILD, lagMs: 0 });
    const reader = createIntentReader({ reads: database, config: world.context.config, guard: replica });
    const headAt = async (head: number) => {
      await world.chain.head(head);
      return reader.head().then(
        ({ block }) => block,
        () => 503,
      );
    };
    next = () => 110;
    expect(await headAt(110)).to.equal(110);
    // A shorter branch. The node answers that its tip is 105, and the answer is on its way for a while.
    const delivered = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    next = async () => {
      asked.resolve();
      await delivered.promise;
      return 105;
    };
    const first = headAt(100);
    await asked.promise;
    // Meanwhile the chain and the indexer reach block 120, which this replica shows. Then the indexer restarts.
    next = () => 120;
    expect(await headAt(120)).to.equal(120);
    const second = headAt(105);
    await delay(300);
    delivered.resolve();
    expect(await first).to.equal(503);
    expect(await second).to.equal(503);
  });
});
