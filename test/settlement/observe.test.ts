import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, asc, eq, isNotNull } from "drizzle-orm";
import { storeTerms } from "#core/chain/terms.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { workItem } from "#core/db/schema/work.ts";
import type { IntentId } from "#core/ids.ts";
import { scheduleWork } from "#core/work/schedule-work.ts";
import { until } from "#scripts/shared/wait.ts";
import { timeOf } from "./support/chain-tables.ts";
import { createFullObserver } from "./support/full-observer.ts";
import type { TestIntent } from "./support/intents.ts";
import { insertPayout, type NewPayout } from "./support/payouts.ts";
import { tracking } from "./support/work.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
let observe: () => Promise<void>;

beforeAll(async () => {
  world = await makeWorld();
  // Also runs the observation scan each time. Later tests cover an observer that reads only changes.
  observe = createFullObserver(world.context);
});
afterAll(() => world.close());

async function eventsOf(id: IntentId): Promise<string[]> {
  const rows = await world.context.database
    .select()
    .from(event)
    .where(eq(event.intentId, id))
    .orderBy(asc(event.sequence));
  return rows
    .filter(({ toStatus }) => toStatus !== null)
    .map((row) => row.type.replace("payment_intent.", ""));
}

async function lastSeen(id: IntentId) {
  const [row] = await world.context.database.select().from(intent).where(eq(intent.id, id));
  return row?.lastEmittedStatus;
}

const payFor = (made: TestIntent, more: Partial<NewPayout> = {}) =>
  insertPayout(world.context.database, made, {
    state: "completed",
    completedAt: new Date(),
    finalAt: new Date(Date.now() + 60_000),
    nextAttemptAt: null,
    ...more,
  });

describe("the observer", () => {
  it("emits each status once, however often it polls", async () => {
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 100, PAYER);
    await world.chain.head(101);
    await observe();
    await observe();
    expect(await eventsOf(id)).to.deep.equal(["processing"]);
    await world.chain.head(104);
    await observe();
    expect(await eventsOf(id)).to.deep.equal(["processing", "succeeded"]);
    expect(await lastSeen(id)).to.equal("SUCCEEDED");
  });

  it("emits what happened between two polls, in order", async () => {
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 200, PAYER);
    await world.chain.settle(made.orderId, made.terms, 206);
    await world.chain.head(220);
    await payFor(made);
    await observe();
    expect(await eventsOf(made.id)).to.deep.equal(["processing", "succeeded", "settled"]);
  });

  it("emits that a reorg removed a status, and emits the status again when another block causes it", async () => {
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 300, PAYER);
    await world.chain.head(304);
    await observe();
    await world.chain.removeOrder(orderId);
    await world.chain.head(305);
    await observe();
    expect(await eventsOf(id)).to.deep.equal(["processing", "succeeded", "reverted"]);
    expect(await lastSeen(id)).to.equal("INITIATED");
    await world.chain.fund(orderId, terms, 306, PAYER, 1);
    await world.chain.head(310);
    await observe();
    expect(await eventsOf(id)).to.deep.equal([
      "processing",
      "succeeded",
      "reverted",
      "processing",
      "succeeded",
    ]);
  });

  it("emits a status again when the same block restores it, if a reorg removed only the blocks above", async () => {
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 350, PAYER);
    for (const head of [354, 353, 354, 353, 354]) {
      // A reorg to a shorter chain lowers the high-water mark.
      await world.context.database.update(deployment).set({ highWaterBlock: 0 });
      await world.chain.head(head);
      await observe();
    }
    expect(await eventsOf(id)).to.deep.equal([
      ...["processing", "succeeded"],
      ...["reverted", "succeeded"],
      ...["reverted", "succeeded"],
    ]);
  });

  it("emits that a payment continues after its payout is retried", async () => {
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 380, PAYER);
    await world.chain.settle(made.orderId, made.terms, 381);
    await world.chain.head(390);
    await payFor(made, { state: "failed", completedAt: null, finalAt: null });
    await observe();
    await payFor(made, { attempt: 2, state: "created", completedAt: null, finalAt: null });
    await observe();
    expect(await eventsOf(made.id)).to.deep.equal([
      ...["processing", "succeeded", "requires_action"],
      "succeeded",
    ]);
  });

  it("emits nothing while the indexer is not ready, even if its rows are gone", async () => {
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 400, PAYER);
    await world.chain.head(404);
    await observe();
    await world.chain.ready(false);
    await world.chain.removeOrder(orderId);
    const refused = await observe().then(
      () => "observed",
      () => "refused",
    );
    expect(refused).to.equal("refused");
    await world.chain.fund(orderId, terms, 400, PAYER);
    await world.chain.ready(true);
    await observe();
    expect(await eventsOf(id)).to.deep.equal(["processing", "succeeded"]);
  });

  it("emits a failed payout, and the success of the next attempt, without emitting the funding again", async () => {
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 500, PAYER);
    await world.chain.settle(made.orderId, made.terms, 501);
    await world.chain.head(510);
    await payFor(made, { state: "failed", completedAt: null, finalAt: null });
    await observe();
    expect(await eventsOf(made.id)).to.deep.equal(["processing", "succeeded", "requires_action"]);
    await payFor(made, { attempt: 2 });
    await observe();
    expect(await eventsOf(made.id)).to.deep.equal(["processing", "succeeded", "requires_action", "settled"]);
  });

  it("emits FINAL once the bank was queried after the return window, and does not retract it for a further query", async () => {
    const made = await world.addIntent();
    await world.chain.fund(made.orderId, made.terms, 550, PAYER);
    await world.chain.settle(made.orderId, made.terms, 551);
    await world.chain.head(560);
    const ago = (ms: number) => new Date(Date.now() - ms);
    const soon = new Date(Date.now() + 60_000);
    await payFor(made, { finalAt: ago(1_000), updatedAt: ago(2_000), nextAttemptAt: soon });
    const own = eq(payout.intentId, made.id);
    const { database } = world.context;
    await observe();
    expect(await lastSeen(made.id)).to.equal("SETTLED");
    await database.update(payout).set({ nextAttemptAt: null, updatedAt: new Date() }).where(own);
    await observe();
    expect(await lastSeen(made.id)).to.equal("FINAL");
    await database.update(payout).set({ nextAttemptAt: soon }).where(own);
    await observe();
    expect(await eventsOf(made.id)).to.deep.equal(["processing", "succeeded", "settled", "final"]);
  });

  it("notices an order that arrives for an expired intent", async () => {
    const { id, orderId, terms } = await world.addIntent({ lastEmittedStatus: "CANCELED" });
    await observe();
    await world.chain.fund(orderId, terms, 600, PAYER);
    await world.chain.head(601);
    await observe();
    expect(await eventsOf(id)).to.deep.equal(["reverted"]);
    expect(await lastSeen(id)).to.equal("PROCESSING");
  });

  it("notices that a reorg removed the refund that had canceled an intent, and the order with it", async () => {
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 700, PAYER);
    await world.chain.change(orderId, 701, { status: 5, refunded: terms.amount });
    await world.chain.head(710);
    await observe();
    expect(await lastSeen(id)).to.equal("CANCELED");
    await world.chain.removeOrder(orderId);
    await world.chain.head(711);
    await observe();
    expect(await lastSeen(id)).to.equal("INITIATED");
    expect(await eventsOf(id)).to.deep.equal(["canceled", "reverted"]);
  });

  it("emits every payout in one run, however many there are", async () => {
    const made = await world.addIntent();
    const parts = 450;
    await Promise.all(Array.from({ length: parts }, (_, part) => payFor(made, { part, amount: 1n })));
    await observe();
    const emitted = and(eq(event.intentId, made.id), eq(event.type, "payout.completed"));
    expect(await world.context.database.$count(event, emitted)).to.equal(parts);
  });

  it("records a change once when two replicas see it at the same time", async () => {
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 800, PAYER);
    await world.chain.head(810);
    const other = createFullObserver(world.context);
    await Promise.all([observe(), other(), observe(), other()]);
    expect(await eventsOf(id)).to.deep.equal(["processing", "succeeded"]);
  });
});

describe("the observer without the full scan", () => {
  const HOUR_MS = 3_600_000;

  /** `countRead` returns the number of intents that the observer has read since its first run. */
  async function watching() {
    const { context } = world;
    let read = 0;
    const findAll: typeof context.reader.findAll = (ids) => {
      read += ids.length;
      return context.reader.findAll(ids);
    };
    const runObserver = tracking({ ...context, reader: { ...context.reader, findAll } }, "observe");
    await runObserver();
    read = 0;
    return { runObserver, countRead: () => read };
  }

  it("notices funding, confirmations, facts, settlement and return window as they occur", async () => {
    const { runObserver } = await watching();
    const made = await world.addIntent();
    const { id, orderId, terms } = made;
    await world.chain.fund(orderId, terms, 1_000, PAYER);
    await world.chain.head(1_000);
    await runObserver();
    expect(await lastSeen(id)).to.equal("PROCESSING");
    for (const block of [1_001, 1_002, 1_003, 1_004]) {
      await world.chain.head(block);
      await runObserver();
    }
    expect(await lastSeen(id)).to.equal("SUCCEEDED");
    await world.chain.settle(orderId, terms, 1_010);
    await world.chain.head(1_020);
    await payFor(made, { finalAt: new Date(Date.now() + HOUR_MS) });
    await runObserver();
    expect(await lastSeen(id)).to.equal("SETTLED");
    const finalAt = new Date(Date.now() + 100);
    await world.context.database.update(payout).set({ finalAt }).where(eq(payout.intentId, id));
    await until(
      async () => {
        await runObserver();
        return (await lastSeen(id)) === "FINAL";
      },
      { what: "FINAL", timeoutMs: 10_000 },
    );
  });

  it("notices a reorg that only deletes an order", async () => {
    const { runObserver } = await watching();
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 1_050, PAYER);
    await world.chain.head(1_060);
    await runObserver();
    expect(await lastSeen(id)).to.equal("SUCCEEDED");
    await world.chain.removeOrder(orderId);
    await world.chain.head(1_061);
    await runObserver();
    expect(await eventsOf(id)).to.deep.equal(["processing", "succeeded", "reverted"]);
    expect(await lastSeen(id)).to.equal("INITIATED");
  });

  it("notices that a payment expires, and an order that still arrives for it", async () => {
    const { runObserver } = await watching();
    const made = await world.addIntent();
    const { id, orderId } = made;
    const fundingDeadline = timeOf(1_080);
    const terms = { ...made.terms, fundingDeadline };
    await world.context.database.delete(workItem).where(eq(workItem.orderId, orderId));
    await world.context.database
      .update(intent)
      .set({ terms: storeTerms(terms) })
      .where(eq(intent.id, id));
    await scheduleWork(world.context.database, world.context.deployment.id, [
      { orderId, merchantId: MERCHANT, purpose: "observe", clock: "time", due: fundingDeadline + 1 },
    ]);
    await world.chain.head(1_081);
    await runObserver();
    expect(await lastSeen(id)).to.equal("INITIATED");
    const { confirmations, blockTime } = world.context.config.chain;
    const expired = 1_081 + confirmations * blockTime;
    await world.chain.head(expired);
    await runObserver();
    expect(await lastSeen(id)).to.equal("CANCELED");
    await world.chain.fund(orderId, terms, expired + 1, PAYER);
    await world.chain.head(expired + 1);
    await runObserver();
    expect(await lastSeen(id)).to.equal("PROCESSING");
  });

  it("skips unchanged payments, however many there are", async () => {
    const still = await Promise.all(Array.from({ length: 50 }, () => world.addIntent()));
    for (const { orderId, terms } of still) await world.chain.fund(orderId, terms, 1_200, PAYER);
    await world.chain.head(1_250);
    const { database } = world.context;
    const { runObserver, countRead } = await watching();
    // Backdates all changes by an hour.
    const longAgo = new Date(Date.now() - HOUR_MS);
    await database.update(intent).set({ updatedAt: longAgo });
    await database.update(payout).set({ updatedAt: longAgo });
    await database.update(payout).set({ finalAt: longAgo }).where(isNotNull(payout.finalAt));
    await world.chain.head(1_251);
    await runObserver();
    const [first] = still;
    if (!first) throw new Error("There is no intent.");
    const before = countRead();
    await world.chain.change(first.orderId, 1_260, { status: 1, shippedAt: 1 });
    await world.chain.head(1_264);
    await runObserver();
    expect(countRead() - before)
      .to.be.at.least(1)
      .and.at.most(5);
  });

  it("rereads changes that it could not finish processing", async () => {
    const { runObserver } = await watching();
    const { id, orderId, terms } = await world.addIntent();
    await world.chain.fund(orderId, terms, 1_300, PAYER);
    await world.chain.head(1_304);
    await world.chain.ready(false);
    await runObserver().catch(() => undefined);
    await world.chain.ready(true);
    await world.chain.head(1_400);
    await world.context.database
      .update(intent)
      .set({ updatedAt: new Date(0) })
      .where(eq(intent.id, id));
    await runObserver();
    expect(await lastSeen(id)).to.equal("SUCCEEDED");
  });
});
