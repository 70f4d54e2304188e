// Payouts that other processes change or lock while the events of their payment are recorded.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { asc, eq, type SQL, sql } from "drizzle-orm";
import { deployment } from "#core/db/schema/deployments.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import { recordUnreported } from "#settlement/events/observe.ts";
import { createObservationScan } from "#settlement/events/scan-observations.ts";
import type { TestIntent } from "./support/intents.ts";
import { insertPayout, type NewPayout } from "./support/payouts.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
let block = 1_000;

beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

const read = ({ id }: TestIntent) => world.context.reader.findAll([id]);
const observe = async (made: TestIntent) => recordUnreported(world.context, await read(made));

async function eventsOf(id: IntentId): Promise<string[]> {
  const rows = await world.context.database
    .select()
    .from(event)
    .where(eq(event.intentId, id))
    .orderBy(asc(event.sequence));
  return rows.map(({ type }) => type.replace("payment_intent.", ""));
}

/** Adds a payment that is settled on chain, and its payout. */
async function paid(more: Partial<NewPayout> = {}) {
  const made = await world.addIntent();
  block += 20;
  await world.chain.fund(made.orderId, made.terms, block, PAYER);
  await world.chain.settle(made.orderId, made.terms, block + 1);
  await world.chain.head(block + 15);
  await observe(made);
  const payoutId = await insertPayout(world.context.database, made, {
    state: "completed",
    completedAt: new Date(),
    finalAt: new Date(Date.now() + 600_000),
    nextAttemptAt: null,
    ...more,
  });
  return { made, payoutId, before: await eventsOf(made.id) };
}

/** Does something while another transaction has executed a statement. */
async function during(statement: SQL, act: () => Promise<void>): Promise<void> {
  await world.context.database.transaction(async (tx) => {
    await tx.execute(statement);
    await act();
  });
}

describe("a payout's event", () => {
  it("comes before the status that the payout causes, although another process has locked the payout", async () => {
    const { made, payoutId, before } = await paid();
    const lock = sql`update ${payout} set posted_state = ${payout.state} where ${eq(payout.id, payoutId)}`;
    await during(lock, async () => {
      expect([...(await observe(made))]).to.deep.equal([made.id]);
      expect(await eventsOf(made.id)).to.deep.equal(before);
    });
    await observe(made);
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.completed", "settled"]);
  });

  it("is not followed by an older status if the payout changes after the payment was read", async () => {
    const { made, payoutId, before } = await paid();
    const outdated = await read(made);
    await world.context.database
      .update(payout)
      .set({ state: "returned", completedAt: null, finalAt: null })
      .where(eq(payout.id, payoutId));
    expect([...(await recordUnreported(world.context, outdated))]).to.deep.equal([made.id]);
    await observe(made);
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.returned", "requires_action"]);
  });

  it("is not followed by an older status if another process has recorded it since the payment was read", async () => {
    const failed = { state: "failed", completedAt: null, finalAt: null } as const;
    const { made, payoutId } = await paid(failed);
    const { database } = world.context;
    await observe(made);
    const before = await eventsOf(made.id);
    expect(before.at(-1)).to.equal("requires_action");
    await database.update(payout).set({ retried: true }).where(eq(payout.id, payoutId));
    const retry = await insertPayout(database, made, { state: "submitted", attempt: 2 });
    const outdated = await read(made);
    await database.update(payout).set(failed).where(eq(payout.id, retry));
    // The status is the same as before the retry.
    await observe(made);
    expect([...(await recordUnreported(world.context, outdated))]).to.deep.equal([made.id]);
    await observe(made);
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.failed"]);
  });

  it("is recorded once if two processes have read it", async () => {
    const { made, before } = await paid();
    const views = [await read(made), await read(made)];
    await Promise.all(views.map((view) => recordUnreported(world.context, view)));
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.completed", "settled"]);
  });

  it("is recorded without waiting for a transaction that inserts rows which refer to the payment", async () => {
    const { made, payoutId, before } = await paid();
    const locks = sql`with i as (select from ${intent} where ${eq(intent.id, made.id)} for key share)
      select (select count(*) from i) from ${payout} where ${eq(payout.id, payoutId)} for key share`;
    await during(locks, async () => {
      await observe(made);
    });
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.completed", "settled"]);
  });

  it("is recorded alone if the payment's deployment is not current", async () => {
    const { made, before } = await paid();
    const setCurrent = (current: boolean) => world.context.database.update(deployment).set({ current });
    await setCurrent(false);
    try {
      await observe(made);
      expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.completed"]);
    } finally {
      await setCurrent(true);
    }
    await observe(made);
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.completed", "settled"]);
  });

  it("is recorded for an attempt that has failed before the latest one", async () => {
    const { made, before } = await paid({ state: "failed", completedAt: null, finalAt: null, retried: true });
    await insertPayout(world.context.database, made, { state: "created", attempt: 2 });
    await observe(made);
    expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.failed"]);
  });
});

it("the full scan does not count a payment that another process is changing", async () => {
  const { made, payoutId, before } = await paid();
  const lock = sql`update ${payout} set posted_state = ${payout.state} where ${eq(payout.id, payoutId)}`;
  const scan = createObservationScan(world.context);
  await during(lock, async () => {
    expect(await scan()).to.equal(0);
  });
  expect(await scan()).to.equal(1);
  expect(await eventsOf(made.id)).to.deep.equal([...before, "payout.completed", "settled"]);
});
