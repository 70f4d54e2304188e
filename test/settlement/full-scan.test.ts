// The full scans repair what nothing else noticed, although one payment or page fails.
import { afterEach, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { connect } from "#core/db/client.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { workItem } from "#core/db/schema/work.ts";
import { serviceUnavailable } from "#core/errors.ts";
import { newId } from "#core/ids.ts";
import type { IndexerGuard } from "#core/indexer-state/guard.ts";
import { createObservationScan } from "#settlement/events/scan-observations.ts";
import { createScan } from "#settlement/runtime/scan-orders.ts";
import { createTracker } from "#settlement/runtime/track-orders.ts";
import { scanRepaired } from "#settlement/runtime/work-metrics.ts";
import { addCopies } from "./support/copies.ts";
import type { TestIntent } from "./support/intents.ts";
import { addReleased, itemsOf } from "./support/work.ts";
import { MERCHANT, makeWorld, type World } from "./support/world.ts";

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

const countRepaired = async () => (await scanRepaired.get()).values[0]?.value ?? 0;

/** Makes a statement fail for the rows that meet the condition. */
async function refuse(statement: "insert" | "update", table: string, condition: string): Promise<void> {
  await world.context.database.execute(
    sql.raw(`
      create function gateway.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before ${statement} on gateway.${table} for each row when (${condition})
        execute function gateway.refuse()`),
  );
}

/** Adds copies of a payment in place of all work. */
async function addMissing(made: TestIntent, count: number): Promise<void> {
  await addCopies(world.context.database, made, { count });
  await world.chain.head(100);
  await world.context.database.delete(workItem);
}

describe("the full scan of orders", () => {
  it("adds due work that is missing, counts it, and finds nothing the second time", async () => {
    const due = await addReleased(world, 10);
    const early = await addReleased(world, 97);
    await world.chain.head(100);
    const scan = createScan(world.context);
    expect(await scan()).to.equal(1);
    expect(await itemsOf(world.context, due)).to.deep.equal(["settle block 14"]);
    expect(await itemsOf(world.context, early)).to.deep.equal([]);
    expect(await scan()).to.equal(0);
  });

  it("continues after an error where it stopped, and counts what it has repaired before", async () => {
    await addMissing(await addReleased(world, 10), 300);
    let readings = 0;
    const guard: IndexerGuard = async (snapshot) => {
      // Each page is read once for each of its two looks.
      if (++readings === 5) throw serviceUnavailable("The indexer restarts.");
      return world.context.guard(snapshot);
    };
    const scan = createScan({ ...world.context, guard });
    const before = await countRepaired();
    expect(await scan().catch(String)).to.include("restarts");
    expect((await countRepaired()) - before).to.equal(200);
    await world.context.database.delete(workItem);
    expect(await scan()).to.equal(101);
    expect(await scan()).to.equal(200);
  });

  it("does not count the work of an order that is settled while the page is read", async () => {
    const track = createTracker(world.context);
    const made = await addReleased(world, 10);
    await world.chain.head(20);
    await track();
    let readings = 0;
    const guard: IndexerGuard = async (snapshot) => {
      if (++readings === 1) {
        await world.chain.settle(made.orderId, made.terms, 21);
        await world.chain.head(21);
        await track();
      }
      return world.context.guard(snapshot);
    };
    expect(await createScan({ ...world.context, guard })()).to.equal(0);
    expect(await itemsOf(world.context, made)).to.deep.equal(["plan_payouts block 25"]);
  });

  it("adds the work of every other order if the work of one cannot be added", async () => {
    const made = await addReleased(world, 10);
    await addMissing(made, 150);
    await refuse("insert", "work_item", `new.order_id = '\\x${made.orderId.slice(2)}'`);
    expect(await createScan(world.context)()).to.equal(150);
    expect(await itemsOf(world.context, made)).to.deep.equal([]);
  });
});

describe("the full scan of observations", () => {
  /** Adds payments, and changes them without any notice. @returns their ids in the order of the scan */
  async function addChanged(count: number, change: Partial<typeof intent.$inferInsert>) {
    await addCopies(world.context.database, await world.addIntent(), { count: count - 1, order: null });
    return await world.context.database.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.update(intent).set(change);
      return (await tx.select({ id: intent.id }).from(intent).orderBy(intent.id)).map(({ id }) => id);
    });
  }
  const remaining = () =>
    world.context.database
      .select({ id: intent.id })
      .from(intent)
      .where(eq(intent.lastEmittedStatus, "PROCESSING"));

  it("records every other payment if one cannot be recorded", async () => {
    const [first] = await addChanged(160, { lastEmittedStatus: "PROCESSING" });
    if (!first) throw new Error("No payment was added.");
    const bytes = String(intent.id.mapToDriverValue(first));
    await refuse("update", "intent", `new.id = '${bytes}'`);
    const before = await countRepaired();
    expect(await createObservationScan(world.context)()).to.equal(159);
    expect((await countRepaired()) - before).to.equal(159);
    expect(await remaining()).to.deep.equal([{ id: first }]);
  });

  it("records every other payment if one is locked", async () => {
    const { database } = world.context;
    const [first] = await addChanged(160, { lastEmittedStatus: "PROCESSING" });
    if (!first) throw new Error("No payment was added.");
    const writer = connect(world.databaseUrl, { application: "test", lockTimeout: 100 });
    const scan = createObservationScan({ ...world.context, database: writer });
    const scanned = await database.transaction(async (tx) => {
      await tx.select().from(intent).where(eq(intent.id, first)).for("update");
      return await scan();
    });
    await writer.$client.end();
    expect(scanned).to.equal(159);
    expect(await remaining()).to.deep.equal([{ id: first }]);
  });

  it("reads every payment that was canceled within a day, before the open ones", async () => {
    const endedAt = new Date(Date.now() - 23 * 3_600_000);
    const ids = await addChanged(800, { lastEmittedStatus: "CANCELED", endedAs: "CANCELED", endedAt });
    const last = ids.at(-1);
    if (!last) throw new Error("No payment was added.");
    // Only a block's decision can be undone: the order and its refund vanished.
    await world.context.database.insert(event).values({
      id: newId("evt"),
      merchantId: MERCHANT,
      mode: "test",
      type: "payment_intent.canceled",
      decidedBy: "a block",
      data: {} as typeof event.$inferInsert.data,
      intentId: last,
      sequence: 1,
      toStatus: "CANCELED",
    });
    let pages = 0;
    const pause = async () => ++pages <= 11;
    expect(await createObservationScan(world.context, { pause })()).to.equal(1);
  });
});
