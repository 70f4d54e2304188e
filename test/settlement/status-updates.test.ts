// A new status of an intent writes to one small table, and not to the indexes of the intent itself. Neither do most
// updates of transactions, and postings of payouts.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { intent, intentByStatus } from "#core/db/schema/intents.ts";
import { payout, unpostedPayout } from "#core/db/schema/payouts.ts";
import { transaction } from "#core/db/schema/transactions.ts";
import { newId } from "#core/ids.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import type { MerchantStatus } from "#core/model/merchant-status.ts";
import { insertPayout } from "./support/payouts.ts";
import { makeWorld, type World } from "./support/world.ts";

let world: World;
afterEach(() => world.close());

/** Reads both statuses of every intent, as the intent has them and as lists find them. */
async function readStatuses() {
  const { database } = world.context;
  const own = await database
    .select({
      id: intent.id,
      status: intent.lastEmittedStatus,
      merchantStatus: intent.lastEmittedMerchantStatus,
    })
    .from(intent)
    .orderBy(intent.id);
  const listed = await database
    .select({
      id: intentByStatus.intentId,
      status: intentByStatus.status,
      merchantStatus: intentByStatus.merchantStatus,
    })
    .from(intentByStatus)
    .orderBy(intentByStatus.intentId);
  return { own, listed };
}

/** Runs the update, and returns how many row versions it wrote, and how many of them without an index entry. */
async function countVersions(table: SQL, update: (tx: Transaction) => Promise<unknown>) {
  return world.context.database.transaction(async (tx) => {
    // The counters include the session's earlier transactions until it reports them.
    const read = async () => {
      const { rows } = await tx.execute<{ updated: number; heapOnly: number }>(sql`
        select pg_stat_get_xact_tuples_updated(${table}::regclass)::int as updated,
          pg_stat_get_xact_tuples_hot_updated(${table}::regclass)::int as "heapOnly"`);
      return rows[0] ?? { updated: Number.NaN, heapOnly: Number.NaN };
    };
    const before = await read();
    await update(tx);
    const after = await read();
    return { updated: after.updated - before.updated, heapOnly: after.heapOnly - before.heapOnly };
  });
}

describe("the statuses of intents", () => {
  it("are found by lists after any change, of one intent or of many in one statement", async () => {
    world = await makeWorld();
    const { database } = world.context;
    const made = [await world.addIntent(), await world.addIntent(), await world.addIntent()];
    const set = (
      lastEmittedStatus: IntentStatus,
      lastEmittedMerchantStatus: MerchantStatus,
      some: typeof made,
    ) =>
      database
        .update(intent)
        .set({ lastEmittedStatus, lastEmittedMerchantStatus })
        .where(
          inArray(
            intent.id,
            some.map(({ id }) => id),
          ),
        );
    await set("PROCESSING", "CONFIRMING", made);
    await set("SUCCEEDED", "IN_ESCROW", made.slice(0, 2));
    await set("SUCCEEDED", "DISPUTED", made.slice(1, 2));
    await set("CANCELED", "REFUNDED", made.slice(2));
    // Back, as after a reorg.
    await set("PROCESSING", "CONFIRMING", made.slice(2));
    const { own, listed } = await readStatuses();
    expect(own).to.have.length(3);
    expect(listed).to.deep.equal(own);
  });

  it("are found by lists again after a row was lost", async () => {
    world = await makeWorld();
    const { database } = world.context;
    const made = [await world.addIntent(), await world.addIntent()];
    await database.delete(intentByStatus).where(eq(intentByStatus.intentId, made[0]?.id ?? "intent_"));
    await database.update(intent).set({ lastEmittedStatus: "PROCESSING" });
    const { own, listed } = await readStatuses();
    expect(listed).to.deep.equal(own);
  });

  it("are listed once after an intent was deleted and restored", async () => {
    world = await makeWorld();
    const { database } = world.context;
    const { id } = await world.addIntent();
    const [row] = await database.select().from(intent).where(eq(intent.id, id));
    await database.delete(intent);
    if (row) await database.insert(intent).values(row);
    const { own, listed } = await readStatuses();
    expect(own).to.have.length(1);
    expect(listed).to.deep.equal(own);
  });

  it("set how and when an intent has ended, until a reorg undoes it", async () => {
    world = await makeWorld();
    const { database } = world.context;
    const { id } = await world.addIntent();
    const ends: [string | null | undefined, number | undefined][] = [];
    for (const lastEmittedStatus of ["SUCCEEDED", "CANCELED", "CANCELED", "SUCCEEDED", "FINAL"] as const) {
      const [row] = await database
        .update(intent)
        .set({ lastEmittedStatus })
        .where(eq(intent.id, id))
        .returning({ as: intent.endedAs, at: intent.endedAt });
      ends.push([row?.as, row?.at?.getTime()]);
    }
    const [canceledAt, finalAt] = [ends[1]?.[1], ends[4]?.[1]];
    expect(ends).to.deep.equal([
      [null, undefined],
      ["CANCELED", canceledAt],
      ["CANCELED", canceledAt],
      [null, undefined],
      ["FINAL", finalAt],
    ]);
    expect(canceledAt).to.be.a("number");
    expect(finalAt).to.be.greaterThan(canceledAt ?? 0);
    const ended = await world.addIntent({ lastEmittedStatus: "CANCELED" });
    const [made] = await database.select().from(intent).where(eq(intent.id, ended.id));
    expect(made).to.include({ endedAs: "CANCELED" });
    expect(made?.endedAt).to.be.instanceOf(Date);
  });

  it("change without a new entry in the intent's indexes", async () => {
    world = await makeWorld();
    const { id } = await world.addIntent();
    const versions = await countVersions(sql`'gateway.intent'`, (tx) =>
      tx
        .update(intent)
        .set({
          lastEmittedStatus: "PROCESSING",
          lastEmittedMerchantStatus: "CONFIRMING",
          escrowEmitted: "0x01",
          updatedAt: new Date(),
        })
        .where(eq(intent.id, id)),
    );
    expect(versions).to.deep.equal({ updated: 1, heapOnly: 1 });
  });
});

describe("a transaction", () => {
  it("is mined and final without a new entry in its indexes", async () => {
    world = await makeWorld();
    const { database, deployment } = world.context;
    const signer = "0x00000000000000000000000000000000000000aa";
    const id = newId("tx");
    await database
      .insert(transaction)
      .values({ id, deploymentId: deployment.id, signer, nonce: 0, purpose: "settle" });
    const set = (values: Partial<typeof transaction.$inferInsert>) =>
      countVersions(sql`'gateway.transaction'`, (tx) =>
        tx
          .update(transaction)
          .set({ ...values, updatedAt: new Date() })
          .where(eq(transaction.id, id)),
      );
    const block = { succeeded: true, blockNumber: 1, blockHash: "0x01" } as const;
    expect(await set({ state: "mined", ...block })).to.deep.equal({ updated: 1, heapOnly: 1 });
    expect(await set({ state: "final" })).to.deep.equal({ updated: 1, heapOnly: 1 });
  });
});

describe("a payout", () => {
  it("is posted without a new entry in its indexes, and is in the list of unposted ones until then", async () => {
    world = await makeWorld();
    const { database } = world.context;
    const id = await insertPayout(database, await world.addIntent());
    const set = (values: Partial<typeof payout.$inferInsert>) =>
      countVersions(sql`'gateway.payout'`, (tx) => tx.update(payout).set(values).where(eq(payout.id, id)));
    const listed = async () => (await database.select().from(unpostedPayout)).map(({ payoutId }) => payoutId);
    await set({ state: "submitted" });
    expect(await listed()).to.deep.equal([]);
    await set({ state: "completed" });
    expect(await listed()).to.deep.equal([id]);
    expect(await set({ postedState: "completed" })).to.deep.equal({ updated: 1, heapOnly: 1 });
    expect(await listed()).to.deep.equal([]);
    // As after a changed fee.
    await set({ postedState: null });
    expect(await listed()).to.deep.equal([id]);
    await set({ postedState: "completed" });
    await set({ state: "returned" });
    expect(await listed()).to.deep.equal([id]);
  });

  it("that has ended when it is inserted is in the list of unposted ones", async () => {
    world = await makeWorld();
    const { database } = world.context;
    const id = await insertPayout(database, await world.addIntent(), { state: "completed" });
    expect(await database.select({ id: unpostedPayout.payoutId }).from(unpostedPayout)).to.deep.equal([
      { id },
    ]);
  });
});
