// With many payments of which none is due, no worker's pass reads a table from end to end, nor more than its candidates.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, getTableName, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { connect } from "#core/db/client.ts";
import type { Context } from "#settlement/context.ts";
import { createHintFollower } from "#settlement/follow-transactions.ts";
import { createRefunder } from "#settlement/refund-late-funding.ts";
import { createMilestoneReleaser } from "#settlement/release-milestones.ts";
import { createTimeLockReleaser } from "#settlement/release-time-locked.ts";
import { createDisputeEnder } from "#settlement/resolve-expired-disputes.ts";
import { createSettler } from "#settlement/settle-orders.ts";
import { createLateFundingTeller } from "#settlement/tell-late-funding.ts";
import { testDatabase } from "#test/support/stack.ts";
import { sessionsEnded, tableReads } from "#test/support/table-reads.ts";
import { addPayments, createIndexes } from "./support/many-payments.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

/** Payments of each of eight kinds. */
const EACH = 5_000;
const A_FEW = 50;

let url: string;
let world: World;
beforeAll(async () => {
  url = await testDatabase();
  world = await makeWorld(url);
  const { database } = world.context;
  await createIndexes(database);
  const template = await world.addIntent({ lastSeenStatus: "SUCCEEDED" });
  await world.chain.fund(template.orderId, template.terms, 1, PAYER);
  await world.chain.head(100);
  await addPayments(database, template, EACH);
  await database.execute(sql`vacuum analyze`);
});
afterAll(() => world?.close());

/** As the role has them. */
async function connected(work: (context: Context) => Promise<unknown>): Promise<void> {
  const reads = connect(url, { application: "reads", plans: "kept", seekCost: 1.1, max: 1 });
  const database = connect(url, { application: "database", seekCost: 1.1, max: 1 });
  try {
    await work({ ...world.context, reads, database });
  } finally {
    await Promise.all([reads, database].map(({ $client }) => $client.end()));
    await sessionsEnded(url, ["reads", "database"]);
  }
}

/** @returns how often each table was read from end to end meanwhile, and how many of its rows were fetched by an index */
async function readsOf(work: (context: Context) => Promise<unknown>) {
  const before = await tableReads(url, EACH);
  await connected(work);
  const after = Object.entries(await tableReads(url, EACH));
  return after.map(([table, { scans, rows }]) => ({
    table,
    scans: scans - (before[table]?.scans ?? 0),
    rows: rows - (before[table]?.rows ?? 0),
  }));
}

describe("a pass with nothing to do, whatever many other payments wait for,", () => {
  it.each([
    ["settles", createSettler, A_FEW],
    ["releases time locks", createTimeLockReleaser, A_FEW],
    ["ends disputes", createDisputeEnder, A_FEW],
    ["refunds late funding", createRefunder, A_FEW],
    // Unreleased milestone orders, or completed milestones; payments canceled in the last month; transactions reported in the last day.
    ["releases milestones", createMilestoneReleaser, EACH + A_FEW],
    ["reports late funding", createLateFundingTeller, EACH + A_FEW],
    ["follows reported transactions", createHintFollower, 1_440 + A_FEW],
  ])("%s by what may be due alone", async (_, create, candidates) => {
    const reads = await readsOf((context) => create(context)());
    expect(reads.map(({ table }) => table)).to.include.members([
      "intent",
      "milestone",
      "order",
      "transaction_hint",
    ]);
    for (const { table, scans, rows } of reads) {
      expect(scans, table).to.equal(0);
      expect(rows, table).to.be.at.most(candidates);
    }
  });
});

describe("what an order has", () => {
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
