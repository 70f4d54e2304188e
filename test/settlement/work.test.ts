// Work follows changes: orders in new and removed blocks create work even if the full scan is disabled, and rejected
// work waits without blocking other work.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { ne, sql } from "drizzle-orm";
import pino from "pino";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent, intentOrderId } from "#core/db/schema/intents.ts";
import { trackedOrder, type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import { serviceUnavailable } from "#core/errors.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { until } from "#scripts/shared/wait.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { createTracker } from "#settlement/runtime/track-orders.ts";
import type { Outcome, WorkItem } from "#settlement/runtime/work-items.ts";
import { collectOutcomes, WorkLoop } from "#settlement/runtime/work-loop.ts";
import { addCopies } from "./support/copies.ts";
import type { TestIntent } from "./support/intents.ts";
import { addReleased, elapse, itemsOf } from "./support/work.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
afterEach(() => world.close());

async function start(): Promise<() => Promise<unknown>> {
  world = await makeWorld();
  return createTracker(world.context);
}

const isAct = ne(workItem.purpose, "observe");

const reorgTo = async (head: number) => {
  // A reorg to a shorter chain lowers the high-water mark.
  await world.context.database.update(deployment).set({ highWaterBlock: 0 });
  await world.chain.head(head);
};

describe("the tracker", () => {
  it("schedules the work of an order that a new block changed, once", async () => {
    const track = await start();
    const made = await addReleased(world, 10);
    await world.chain.head(10);
    await track();
    expect(await itemsOf(world.context, made)).to.deep.equal(["settle block 14"]);
    const item = () => world.context.database.select().from(workItem).where(isAct);
    const before = await item();
    await track();
    await createTracker(world.context)();
    expect(await item()).to.deep.equal(before);
  });

  it("removes the work of an order that vanished in a reorg", async () => {
    const track = await start();
    const made = await addReleased(world, 10);
    await world.chain.head(12);
    await track();
    await world.chain.removeOrder(made.orderId);
    await reorgTo(13);
    await track();
    expect(await itemsOf(world.context, made)).to.deep.equal([]);
    expect(await world.context.database.$count(trackedOrder)).to.equal(0);
  });

  it("notices that an order is back in the state of an earlier block, however far below", async () => {
    const track = await start();
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 10, PAYER);
    await world.chain.head(100);
    await track();
    const { amount } = made.terms;
    await world.chain.change(made.orderId, 101, { status: 3, released: amount });
    await world.chain.head(101);
    await track();
    expect(await itemsOf(world.context, made)).to.deep.equal(["settle block 14"]);
    await world.chain.change(made.orderId, 10, { status: 0, released: 0n });
    await reorgTo(102);
    await track();
    expect(await itemsOf(world.context, made)).to.deep.equal([]);
  });

  it("does nothing while the indexer is not current, even if its rows are gone", async () => {
    const track = await start();
    const made = await addReleased(world, 10);
    await world.chain.head(12);
    await track();
    await world.chain.ready(false);
    await world.chain.removeOrder(made.orderId);
    const refused = await track().then(
      () => false,
      () => true,
    );
    expect(refused).to.equal(true);
    expect(await itemsOf(world.context, made)).to.deep.equal(["settle block 14"]);
  });

  it("continues in a new process where the last one stopped, and reads newer blocks in pages", async () => {
    const track = await start();
    const first = await addReleased(world, 10);
    await world.chain.head(50);
    await track();
    const [{ trackedBlock } = { trackedBlock: 0 }] = await world.context.database.select().from(deployment);
    expect(trackedBlock).to.equal(50);
    await world.context.database.delete(workItem);
    await addCopies(world.context.database, first, {
      count: 1_100,
      order: { updated_block: 400, updated_block_hash: "\\x04" },
    });
    await world.chain.head(400);
    await createTracker(world.context)();
    expect(await world.context.database.$count(workItem, isAct)).to.equal(1_100);
  });
});

describe("work", () => {
  const PURPOSE: WorkPurpose = "settle";
  const schedule = (orders: TestIntent[]) =>
    scheduleWork(
      world.context.database,
      world.context.deployment.id,
      orders.map(({ orderId }) => ({ orderId, merchantId: MERCHANT, purpose: PURPOSE, ...NOW })),
    );

  async function loopWith(
    handle: (item: WorkItem) => Outcome | Promise<Outcome>,
    problems = new Problems(world.context.log),
  ) {
    const tried: string[] = [];
    const handler = {
      atOnce: 50,
      async handle(items: readonly WorkItem[]) {
        const outcomes = new Map<WorkItem["orderId"], Outcome>();
        for (const item of items) {
          tried.push(item.orderId);
          outcomes.set(item.orderId, await handle(item));
        }
        return outcomes;
      },
    };
    const loop = new WorkLoop(world.context, { [PURPOSE]: handler }, problems, () => undefined);
    const run = async () => {
      while ((await loop.run()) > 0) await loop.settled();
    };
    return { run, claim: () => loop.run(), tried };
  }

  it("that is done is removed; if the order changed meanwhile, it is done again", async () => {
    await start();
    const [one, other] = [await world.addIntent(), await world.addIntent()];
    let changes = 1;
    const { run, tried } = await loopWith(async ({ orderId }): Promise<Outcome> => {
      if (orderId === other.orderId && changes-- > 0) await schedule([other]);
      return "done";
    });
    await schedule([one, other]);
    await run();
    expect(tried.sort()).to.deep.equal([one.orderId, other.orderId, other.orderId].sort());
    expect(await world.context.database.$count(workItem, isAct)).to.equal(0);
  });

  it("stays claimed for as long as its worker works, and for ten seconds at most when the worker has died", async () => {
    await start();
    const made = await world.addIntent();
    await schedule([made]);
    const { database, log } = world.context;
    const leaseMs = async () => {
      const { rows } = await database.execute<{ ms: number }>(sql`
        select (extract(epoch from leased_until - clock_timestamp()) * 1000)::float8 as ms from gateway.work_item where ${isAct}`);
      return rows[0]?.ms ?? 0;
    };
    const working = Promise.withResolvers<void>();
    const handler = { atOnce: 1, handle: () => working.promise.then(() => new Map()) };
    const loop = new WorkLoop(world.context, { [PURPOSE]: handler }, new Problems(log), () => undefined, 5);
    expect(await loop.run()).to.equal(1);
    expect(await leaseMs())
      .to.be.above(0)
      .and.at.most(10_000);
    await database.execute(sql`update gateway.work_item set leased_until = now() where ${isAct}`);
    await until(async () => (await leaseMs()) > 0, { what: "The lease being renewed", timeoutMs: 10_000 });
    working.resolve();
    await loop.settled();
    expect(await database.$count(workItem, isAct)).to.equal(0);
  });

  it("is claimed by one replica at a time", async () => {
    await start();
    const made = await Promise.all(Array.from({ length: 40 }, () => world.addIntent()));
    await schedule(made);
    const [one, other] = [await loopWith(() => "done"), await loopWith(() => "done")];
    await Promise.all([one.run(), other.run()]);
    expect([...one.tried, ...other.tried].sort()).to.deep.equal(made.map(({ orderId }) => orderId).sort());
  });

  it("of a worker that died is claimed when its lease has expired, not before", async () => {
    await start();
    const made = await world.addIntent();
    await schedule([made]);
    const dead = await loopWith(() => new Promise<never>(() => undefined));
    expect(await dead.claim()).to.equal(1);
    const { run, tried } = await loopWith(() => "done");
    await run();
    expect(tried).to.deep.equal([]);
    await elapse(world.context);
    await run();
    expect(tried).to.deep.equal([made.orderId]);
  });

  it("that is rejected is retried with increasing delays and its reason, finally dead, and retried when its order changes", async () => {
    await start();
    const made = await world.addIntent();
    const { run, tried } = await loopWith(() => ({ refused: "The wallet is frozen." }));
    await schedule([made]);
    await run();
    const item = async () => (await world.context.database.select().from(workItem).where(isAct))[0];
    expect(await item()).to.include({ attempts: 1, clock: "wall", lastError: "The wallet is frozen." });
    await run();
    expect(tried).to.have.length(1);
    let attempts = 1;
    while ((await item())?.clock !== "dead" && attempts < 100) {
      await elapse(world.context);
      await run();
      attempts++;
    }
    expect(attempts).to.equal(48);
    await elapse(world.context);
    await run();
    expect(tried).to.have.length(48);
    await schedule([made]);
    await run();
    expect(tried).to.have.length(49);
  });

  it("whose handler throws for one order is still done for the others", async () => {
    await start();
    const made = await Promise.all([world.addIntent(), world.addIntent(), world.addIntent()]);
    const [bad] = made;
    const { run } = await loopWith(({ orderId }) => {
      if (orderId === bad?.orderId) throw new Error("a row that nobody expected");
      return "done";
    });
    await schedule(made);
    await run();
    const left = await world.context.database.select().from(workItem).where(isAct);
    expect(left.map(({ orderId, attempts }) => [orderId, attempts])).to.deep.equal([[bad?.orderId, 1]]);
  });

  /** Starts a handler whose calls fail, and records the number of items of each call. */
  async function failingLoop(failure: (items: readonly WorkItem[]) => Error | undefined) {
    const calls: number[] = [];
    const handler = {
      atOnce: 50,
      async handle(items: readonly WorkItem[]) {
        calls.push(items.length);
        const error = failure(items);
        if (error) throw error;
        return new Map();
      },
    };
    const problems = new Problems(world.context.log);
    const loop = new WorkLoop(world.context, { [PURPOSE]: handler }, problems, () => undefined);
    await loop.run();
    await loop.settled();
    const left = await world.context.database.select().from(workItem).where(isAct);
    return { calls, left: left.map(({ orderId, attempts }) => ({ orderId, attempts })) };
  }

  const withCode = (code: string, message = "an error") => Object.assign(new Error(message), { code });

  it("whose dependency is unavailable is tried once, and costs no attempt", async () => {
    await start();
    const made = await Promise.all(Array.from({ length: 10 }, () => world.addIntent()));
    for (const error of [
      serviceUnavailable("The node cannot be reached."),
      withCode("57P01"),
      withCode("42P01", 'relation "chain.order" does not exist'),
      new Error("Query read timeout"),
    ]) {
      await schedule(made);
      const { calls, left } = await failingLoop(() => error);
      expect(calls).to.deep.equal([10]);
      expect(left.map(({ attempts }) => attempts)).to.deep.equal(Array(10).fill(0));
    }
  });

  it("whose dependency becomes unavailable while items are tried alone is left for later", async () => {
    await start();
    await schedule(await Promise.all(Array.from({ length: 10 }, () => world.addIntent())));
    let count = 0;
    const { calls, left } = await failingLoop(() =>
      count++ < 3 ? new Error("a row that nobody expected") : serviceUnavailable("It is away."),
    );
    expect(calls).to.deep.equal([10, 1, 1, 1]);
    expect(left.map(({ attempts }) => attempts).sort()).to.deep.equal([...Array(8).fill(0), 1, 1]);
  });

  it("that fails alone is tried once per run", async () => {
    await start();
    await schedule([await world.addIntent()]);
    const { calls, left } = await failingLoop(() => new Error("a row that nobody expected"));
    expect(calls).to.deep.equal([1]);
    expect(left.map(({ attempts }) => attempts)).to.deep.equal([1]);
  });

  it("that has an outcome when its handler fails keeps it, also if it is tried alone", async () => {
    await start();
    await schedule([await world.addIntent(), await world.addIntent()]);
    const handler = {
      atOnce: 50,
      handle: (items: readonly WorkItem[]) =>
        collectOutcomes(async (outcomes) => {
          if (items.length === 1) for (const { orderId } of items) outcomes.set(orderId, "done");
          throw new Error("a row that nobody expected");
        }),
    };
    const problems = new Problems(world.context.log);
    const loop = new WorkLoop(world.context, { [PURPOSE]: handler }, problems, () => undefined);
    await loop.run();
    await loop.settled();
    expect(await world.context.database.$count(workItem, isAct)).to.equal(0);
  });

  it("of orders that stay locked does not keep the others waiting for long", async () => {
    await start();
    const made = await Promise.all(Array.from({ length: 20 }, () => world.addIntent()));
    const locked = new Set(made.slice(0, 5).map(({ orderId }) => orderId));
    await schedule(made);
    const runs = 40;
    let run = 0;
    for (; run < runs && (await world.context.database.$count(workItem, isAct)) > locked.size; run++) {
      await failingLoop((items) =>
        items.some(({ orderId }) => locked.has(orderId)) ? withCode("55P03") : undefined,
      );
      await elapse(world.context);
    }
    expect(run).to.be.lessThan(runs);
  });

  for (const code of ["55P03", "40P01"]) {
    it(`of one order whose row is locked (${code}) does not keep the others waiting`, async () => {
      await start();
      const made = await Promise.all(Array.from({ length: 10 }, () => world.addIntent()));
      const locked = made[4]?.orderId;
      await schedule(made);
      const { calls, left } = await failingLoop((items) =>
        items.some(({ orderId }) => orderId === locked) ? withCode(code) : undefined,
      );
      expect(calls).to.deep.equal([10, ...Array(10).fill(1)]);
      expect(left).to.deep.equal([{ orderId: locked, attempts: 0 }]);
    });

    it(`that fails because of a lock on everything (${code}) is tried alone at most three times`, async () => {
      await start();
      await schedule(await Promise.all(Array.from({ length: 10 }, () => world.addIntent())));
      const { calls, left } = await failingLoop(() => withCode(code));
      expect(calls).to.deep.equal([10, 1, 1, 1]);
      expect(left.map(({ attempts }) => attempts)).to.deep.equal(Array(10).fill(0));
    });
  }

  it("that fails repeatedly is logged once, and once more when it recovers", async () => {
    await start();
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
    const [good, bad] = [await world.addIntent(), await world.addIntent()];
    let broken = true;
    const { run } = await loopWith(({ orderId }) => {
      if (broken && orderId === bad.orderId) throw new Error("a row that nobody expected");
      return "done";
    }, new Problems(log));
    for (let i = 0; i < 3; i++) {
      await schedule([good, bad]);
      await run();
    }
    expect(lines).to.deep.equal(["problem"]);
    broken = false;
    await schedule([bad]);
    await run();
    expect(lines).to.deep.equal(["problem", "problem resolved"]);
  });

  it("that waits for a retry is not delayed by new work, however much there is", async () => {
    await start();
    const { database } = world.context;
    const first = await world.addIntent();
    await schedule([first]);
    await database.update(workItem).set({ due: 1, attempts: 1 });
    const template = await world.addIntent();
    await addCopies(database, template, { count: 200, order: null });
    const others = await database.select({ orderId: intentOrderId }).from(intent);
    const { run, tried } = await loopWith(() => "done");
    await schedule(
      others.filter(({ orderId }) => orderId !== first.orderId).map((one) => ({ ...template, ...one })),
    );
    await run();
    expect(tried.indexOf(first.orderId)).to.be.within(0, 99);
    expect(tried).to.have.length(202);
  });

  it("of 10,000 rejected orders delays a new one by at most one claim", async () => {
    await start();
    const template = await world.addIntent();
    await addCopies(world.context.database, template, { count: 10_000, order: null });
    await world.context.database.execute(sql`
      insert into gateway.work_item (deployment_id, merchant_id, order_id, purpose, clock, due, attempts)
      select deployment_id, merchant_id, id, ${PURPOSE}, 'wall', 9000000000000, 3 from gateway.intent`);
    const healthy = await world.addIntent();
    await schedule([healthy]);
    const { run, tried } = await loopWith(() => "done");
    await run();
    expect(tried).to.deep.equal([healthy.orderId]);
  });
});
