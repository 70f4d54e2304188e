// The lanes of a purpose: concurrent calls of its handler in one process.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import pino from "pino";
import { intent, intentOrderId } from "#core/db/schema/intents.ts";
import { type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { until } from "#scripts/shared/wait.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import type { Outcome, WorkItem } from "#settlement/runtime/work-items.ts";
import { type WorkHandler, WorkLoop } from "#settlement/runtime/work-loop.ts";
import { addCopies } from "./support/copies.ts";
import type { TestIntent } from "./support/intents.ts";
import { MERCHANT, makeWorld, type World } from "./support/world.ts";

let world: World;
afterEach(() => world.close());

const PURPOSE: WorkPurpose = "settle";
const isScheduled = eq(workItem.purpose, PURPOSE);

const schedule = (orders: readonly Pick<TestIntent, "orderId">[]) =>
  scheduleWork(
    world.context.database,
    world.context.deployment.id,
    orders.map(({ orderId }) => ({ orderId, merchantId: MERCHANT, purpose: PURPOSE, ...NOW })),
  );

/** Opens a loop for one purpose, which counts how often a lane became free. */
function openLoop(handler: WorkHandler, log = world.context.log) {
  const idle = { times: 0 };
  const onIdle = () => idle.times++;
  return { loop: new WorkLoop(world.context, { [PURPOSE]: handler }, new Problems(log), onIdle), idle };
}

/** Opens a loop with two lanes whose calls last until the test ends them. */
function openPending(atOnce: number) {
  const calls: { ids: string[]; end: () => void }[] = [];
  const handler = {
    atOnce,
    lanes: 2,
    handle(items: readonly WorkItem[]) {
      const { promise, resolve } = Promise.withResolvers<Map<never, never>>();
      calls.push({ ids: items.map(({ orderId }) => orderId), end: () => resolve(new Map<never, never>()) });
      return promise;
    },
  };
  return { ...openLoop(handler), calls };
}

function collectLog() {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  return { lines, log };
}

describe("work", () => {
  it("is done in as many concurrent calls as its handler has lanes, and each lane claims again when it is free", async () => {
    world = await makeWorld();
    const made = await Promise.all(Array.from({ length: 7 }, () => world.addIntent()));
    await schedule(made);
    const { loop, idle, calls } = openPending(2);
    expect(await loop.run()).to.equal(4);
    expect(await loop.run(), "no lane is free").to.equal(0);
    calls[1]?.end();
    await until(() => idle.times === 1, { what: "A free lane", timeoutMs: 10_000 });
    expect(await loop.run()).to.equal(2);
    for (const { end } of calls) end();
    await loop.settled();
    expect(await loop.run(), "a claim that is not full starts no further lane").to.equal(1);
    expect(calls.map(({ ids }) => ids.length)).to.deep.equal([2, 2, 2, 1]);
    expect(calls.flatMap(({ ids }) => ids).sort()).to.deep.equal(made.map(({ orderId }) => orderId).sort());
    for (const { end } of calls) end();
    await loop.settled();
    expect(await world.context.database.$count(workItem, isScheduled)).to.equal(0);
  });

  it("is in one lane at a time, although it changes while it is claimed, and does not keep others waiting", async () => {
    world = await makeWorld();
    const [made, other] = [await world.addIntent(), await world.addIntent()];
    await schedule([made]);
    const { loop, idle, calls } = openPending(50);
    expect(await loop.run()).to.equal(1);
    await schedule([made]);
    expect(await loop.run(), "the changed item is not claimed").to.equal(0);
    await schedule([made, other]);
    expect(await loop.run()).to.equal(1);
    expect(calls.map(({ ids }) => ids)).to.deep.equal([[made.orderId], [other.orderId]]);
    calls[0]?.end();
    await until(() => idle.times === 1, { what: "A free lane", timeoutMs: 10_000 });
    expect(await loop.run(), "the changed item is claimed").to.equal(1);
    expect(calls[2]?.ids).to.deep.equal([made.orderId]);
    for (const { end } of calls) end();
    await loop.settled();
    expect(await world.context.database.$count(workItem, isScheduled)).to.equal(0);
  });

  it.each([
    ["fails again", true, ["problem"]],
    ["then succeeds", false, ["problem", "problem resolved"]],
  ])(
    "that fails in one lane and %s is logged as often, although another lane succeeds meanwhile",
    async (_, failsAgain, expected) => {
      world = await makeWorld();
      const { lines, log } = collectLog();
      const bad = await world.addIntent();
      const others = [await world.addIntent(), await world.addIntent(), await world.addIntent()];
      const alone = Promise.withResolvers<void>();
      let attempts = 0;
      const handler = {
        atOnce: 2,
        lanes: 2,
        async handle(items: readonly WorkItem[]) {
          if (items.some(({ orderId }) => orderId === bad.orderId)) {
            const isFirst = attempts++ === 0;
            if (!isFirst) await alone.promise;
            if (isFirst || failsAgain) throw new Error("a row that nobody expected");
          }
          return new Map<WorkItem["orderId"], Outcome>();
        },
      };
      const { loop, idle } = openLoop(handler, log);
      await schedule([bad, ...others.slice(0, 1)]);
      await loop.run();
      await until(() => attempts === 2, { what: "The second attempt", timeoutMs: 10_000 });
      await schedule(others.slice(1));
      await loop.run();
      await until(() => idle.times === 1, { what: "The end of the second lane", timeoutMs: 10_000 });
      expect(lines).to.deep.equal(["problem"]);
      alone.resolve();
      await loop.settled();
      expect(lines).to.deep.equal(expected);
    },
  );

  it("is not logged as recovered because of a call that began before the failure", async () => {
    world = await makeWorld();
    const { lines, log } = collectLog();
    const [early, late] = [await world.addIntent(), await world.addIntent()];
    const slow = Promise.withResolvers<void>();
    const handler = {
      atOnce: 1,
      lanes: 2,
      async handle([item]: readonly WorkItem[]) {
        if (item?.orderId === late.orderId) throw new Error("a row that nobody expected");
        await slow.promise;
        return new Map<never, never>();
      },
    };
    const { loop, idle } = openLoop(handler, log);
    await schedule([early]);
    await loop.run();
    await schedule([late]);
    await loop.run();
    await until(() => idle.times === 1, { what: "The failure", timeoutMs: 10_000 });
    slow.resolve();
    await loop.settled();
    expect(lines).to.deep.equal(["problem"]);
  });

  it("of one purpose is claimed at most once per lane in a run, so that other purposes do not wait", async () => {
    world = await makeWorld();
    const template = await world.addIntent();
    await addCopies(world.context.database, template, { count: 1_000, order: null });
    const rows = await world.context.database.select({ orderId: intentOrderId }).from(intent);
    await schedule(rows);
    const handler = { atOnce: 10, lanes: 2, handle: async () => new Map<never, never>() };
    const { loop } = openLoop(handler);
    for (let run = 0; run < 20; run++) {
      expect(await loop.run()).to.be.at.most(20);
      await loop.settled();
    }
  });
});
