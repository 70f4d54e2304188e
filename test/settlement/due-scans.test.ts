// With many payments of which none is due, no worker's pass scans a full table or reads more than its candidates.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, getTableName, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { connect } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { WORK_PURPOSES, workItem } from "#core/db/schema/work.ts";
import { DUE_WORK } from "#settlement/due-work.ts";
import { createReportFollower } from "#settlement/escrow/follow-transactions.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { createDueFinder } from "#settlement/runtime/find-due.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { WorkLoop } from "#settlement/runtime/work-loop.ts";
import { createWorkHandlers } from "#settlement/work-handlers.ts";
import { sessionsEnded, tableReads } from "#test/support/table-reads.ts";
import { addPayments, createIndexes } from "./support/many-payments.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

/** Number of payments of each of eight kinds. */
const EACH = 3_000;
const A_FEW = 50;
/** Far above the blocks in which the orders changed. */
const HEAD = 10_000;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  const { database } = world.context;
  await createIndexes(database);
  const template = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
  await world.chain.fund(template.orderId, template.terms, 1, PAYER);
  await world.chain.head(HEAD);
  await addPayments(database, template, EACH);
  await database.execute(sql`vacuum analyze`);
});
afterAll(() => world?.close());

/** Connects with the role's settings. */
async function connected(work: (context: Context) => Promise<unknown>): Promise<void> {
  const reads = connect(world.databaseUrl, { application: "reads", plans: "kept", seekCost: 1.1, max: 1 });
  const database = connect(world.databaseUrl, { application: "database", seekCost: 1.1, max: 1 });
  try {
    await work({ ...world.context, reads, database });
  } finally {
    await Promise.all([reads, database].map(({ $client }) => $client.end()));
    await sessionsEnded(world.databaseUrl, ["reads", "database"]);
  }
}

/**
 * @returns for each table, the number of sequential scans and the number of rows fetched by an index during the work
 */
async function readsOf(work: (context: Context) => Promise<unknown>) {
  const before = await tableReads(world.databaseUrl, EACH);
  await connected(work);
  const after = Object.entries(await tableReads(world.databaseUrl, EACH));
  return after.map(([table, { scans, rows }]) => ({
    table,
    scans: scans - (before[table]?.scans ?? 0),
    rows: rows - (before[table]?.rows ?? 0),
  }));
}

/** Adds a work item for each order, with varying purposes and clocks. None of them is due. */
const addWaitingWork = (database: Context["database"]) =>
  database.execute(sql`
    insert into gateway.work_item (deployment_id, merchant_id, order_id, purpose, clock, due)
    select deployment_id, merchant_id, id,
      (${sql.raw(`array['${WORK_PURPOSES.join("', '")}']`)})[1 + abs(hashtext(id::text)) % ${WORK_PURPOSES.length}::int],
      (array['block', 'time', 'wall', 'dead'])[1 + abs(hashtext(id::text)) % 4], 9000000000000
    from gateway.intent
    on conflict (order_id, purpose, merchant_id) do update set clock = excluded.clock, due = excluded.due`);

describe("a pass with nothing to do, while many other payments wait,", () => {
  it("claims work and tracks orders by reading only what may be due", async () => {
    const { database } = world.context;
    await addWaitingWork(database);
    await database.update(workItem).set({ due: 9_000_000_000_000 });
    await database.update(deployment).set({ trackedBlock: HEAD });
    await database.execute(sql`vacuum analyze`);
    const reads = await readsOf(async (context) => {
      const loop = new WorkLoop(
        context,
        createWorkHandlers(context),
        new Problems(context.log),
        () => undefined,
      );
      expect(await loop.run()).to.equal(0);
    });
    expect(reads.map(({ table }) => table)).to.include.members(["intent", "order", "work_item"]);
    for (const { table, scans, rows } of reads) {
      expect(scans, table).to.equal(0);
      expect(rows, table).to.be.at.most(A_FEW);
    }
  });

  it("finds workers with due work by reading only what is due", async () => {
    const reads = await readsOf(async (context) => {
      expect(await createDueFinder(context, DUE_WORK)()).to.deep.equal([]);
    });
    for (const { table, scans, rows } of reads) {
      expect(scans, table).to.equal(0);
      expect(rows, table).to.be.at.most(A_FEW);
    }
  });

  it("follows reported transactions by reading only those of the last day", async () => {
    const reads = await readsOf((context) => createReportFollower(context)());
    for (const { table, scans, rows } of reads) {
      expect(scans, table).to.equal(0);
      expect(rows, table).to.be.at.most(1_440 + A_FEW);
    }
  });
});

describe("an order's related rows", () => {
  it.each([
    ["delivery proofs", chain.chainDeliveryProof],
    ["milestone releases", chain.milestoneRelease],
  ])("of %s is found by the order", async (_, table) => {
    const [some] = await world.context.database.select().from(table).limit(1);
    const reads = await readsOf(({ database }) =>
      database
        .select()
        .from(table)
        .where(eq(table.orderId, some?.orderId ?? "0x")),
    );
    expect(reads.find((one) => one.table === getTableName(table))).to.include({ scans: 0, rows: 1 });
  });
});
