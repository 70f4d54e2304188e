// Claims of a payout: one worker at a time, and another worker only after the lease has expired or was revoked.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { until } from "#scripts/shared/wait.ts";
import type { OffRamp } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutClaim } from "#settlement/payouts/claim-payouts.ts";
import { createPayoutEnqueuer } from "#settlement/payouts/enqueue-due-payouts.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { PAYOUT_QUEUE } from "#settlement/payouts/payout-queue.ts";
import { gullibleBank, openBook, paidTimes } from "./support/gullible-bank.ts";
import { settledWorld, stateOf } from "./support/settled-world.ts";
import type { World } from "./support/world.ts";

const LEASE_MS = 20_000;

async function start(count = 1, bankOf: (database: Database) => OffRamp = gullibleBank) {
  const { world, ids } = await settledWorld(count, bankOf);
  const { database } = world.context;
  await openBook(database);
  return { world, database, ids, id: ids[0] ?? "", pay: createPayoutHandler(world.context, () => undefined) };
}

/** Returns the number of jobs that a scan for due payouts sends. */
async function sent({ context }: World): Promise<number> {
  await createPayoutEnqueuer(context)();
  const { rowCount } = await context.database.execute(
    sql`delete from pgboss.job where name = ${PAYOUT_QUEUE}`,
  );
  return rowCount ?? 0;
}

const times = async (database: Database) => [...(await paidTimes(database)).values()];

describe("a provider", () => {
  it("never has more concurrent payouts than its limit, finishes one before the next, and pays all", async () => {
    const order: string[] = [];
    let now = 0;
    let most = 0;
    const counted = async <T>(call: Promise<T>) => {
      most = Math.max(most, ++now);
      return call.finally(() => now--);
    };
    const { world, database, ids, pay } = await start(12, (bank) => {
      const { lookUp, create, ...rest } = gullibleBank(bank);
      return {
        ...rest,
        atOnce: 5,
        lookUp: (...asked) => {
          order.push("?");
          return counted(lookUp(...asked));
        },
        create: (transfer) => {
          order.push("!");
          return counted(create(transfer));
        },
      };
    });
    await pay(ids);
    expect(most).to.equal(5);
    // Five payouts need ten calls. These five must have been ordered, however long the others wait.
    expect(order.slice(0, 14).filter((call) => call === "!").length).to.be.at.least(5);
    expect(await times(database)).to.deep.equal(Array(12).fill(1));
    await world.close();
  });
});

describe("a payout that a worker has claimed", () => {
  it("cannot be claimed by another worker, and no job is sent for it", async () => {
    const { world, database, ids, id, pay } = await start();
    expect(await sent(world)).to.equal(1);
    const claim = createPayoutClaim(database, world.context.offRamps, LEASE_MS);
    expect(await claim(ids)).to.have.length(1);
    expect(await claim(ids)).to.have.length(0);
    await pay(ids);
    expect(await times(database)).to.deep.equal([]);
    expect(await sent(world)).to.equal(0);
    expect((await stateOf(database, id))?.state).to.equal("created");
    await world.close();
  });

  it("is due again when the worker has died and its lease has expired", async () => {
    const { world, database, ids, id, pay } = await start();
    expect(await sent(world)).to.equal(1);
    await createPayoutClaim(database, world.context.offRamps, 1_000)(ids);
    expect(await sent(world)).to.equal(0);
    await until(async () => (await sent(world)) === 1, { what: "Another job", timeoutMs: 10_000 });
    await pay(ids);
    expect(await stateOf(database, id)).to.include({ state: "completed", leasedUntil: null });
    expect(await times(database)).to.deep.equal([1]);
    await world.close();
  });

  it("is not stored by a worker that lost its lease, and is polled again immediately", async () => {
    let taken = false;
    const { world, database, ids, id, pay } = await start(1, (bank) => ({
      ...gullibleBank(bank),
      async lookUp(reference) {
        const known = await gullibleBank(bank).lookUp(reference);
        // During the call, a provider webhook makes the payout due for another poll.
        if (known && !taken) await bank.update(payout).set(dueNow);
        if (known) taken = true;
        return known;
      },
    }));
    await pay(ids);
    await database.update(payout).set({ ...dueNow, state: "submitted" });
    await pay(ids);
    expect(await stateOf(database, id)).to.include({ state: "submitted", leasedUntil: null });
    expect(await sent(world)).to.equal(1);
    await pay(ids);
    expect((await stateOf(database, id))?.state).to.equal("completed");
    expect(await times(database)).to.deep.equal([1]);
    await world.close();
  });

  it("is not ordered by a worker, such as a suspended one, that lost its lease while the provider was queried", async () => {
    const { world, database, ids, id, pay } = await start(1, (bank) => ({
      ...gullibleBank(bank),
      async lookUp(reference) {
        const known = await gullibleBank(bank).lookUp(reference);
        await bank.update(payout).set({ leasedUntil: new Date(Date.now() + 60_000) });
        return known;
      },
    }));
    await pay(ids);
    expect(await times(database)).to.deep.equal([]);
    expect(await stateOf(database, id)).to.include({ state: "created", calledAt: null });
    await world.close();
  });

  it("counts as ordered once its provider has it, although the record of the call is lost", async () => {
    const { world, database, ids, id, pay } = await start();
    await pay(ids);
    await database.update(payout).set({ ...dueNow, state: "created", providerId: null, calledAt: null });
    await pay(ids);
    const row = await stateOf(database, id);
    expect(row?.state).to.equal("completed");
    expect(row?.calledAt).to.be.an.instanceOf(Date);
    expect(await times(database)).to.deep.equal([1]);
    await world.close();
  });
});

it("every state change of a payout is in the audit log exactly once", async () => {
  const { world, database, ids, pay } = await start(5);
  const logged = async () => {
    const own = and(eq(auditLog.actorType, "system"), sql`${auditLog.action} like 'payout.%'`);
    const rows = await database.select().from(auditLog).where(own).orderBy(auditLog.position);
    return ids.map((id) =>
      rows.flatMap((row) => (row.resourceId === id ? `${row.fromStatus} ${row.toStatus}` : [])),
    );
  };
  const each = (states: string[]) => ids.map(() => states);
  // Updates one row first, so that the cached plan is for a single row.
  await database
    .update(payout)
    .set({ failure: "none" })
    .where(eq(payout.id, ids[0] ?? ""));
  expect(await logged()).to.deep.equal(each(["null created"]));
  await pay(ids);
  expect(await logged()).to.deep.equal(each(["null created", "created completed"]));
  await database.update(payout).set({ emittedState: "completed" });
  await database.update(payout).set({ state: "returned" });
  expect(await logged()).to.deep.equal(each(["null created", "created completed", "completed returned"]));
  await world.close();
});
