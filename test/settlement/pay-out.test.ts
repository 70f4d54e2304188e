import { afterAll, beforeAll, describe, it } from "bun:test";
import { join } from "node:path";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { until } from "#scripts/shared/wait.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import { type OffRamp, type Transfer, TransferRefused } from "#settlement/off-ramp/off-ramp.ts";
import { createPayoutHandler } from "#settlement/payouts/pay-out.ts";
import { DEEP } from "../support/deep.ts";
import { gullibleBank, openBook, paidTimes } from "./support/gullible-bank.ts";
import { STEPS, type Step, startWorker } from "./support/payout-worker.ts";
import { allCompleted, settledWorld as settle, stateOf } from "./support/settled-world.ts";

const SCRIPT = join(import.meta.dir, "support/payout-worker.ts");

/** Creates settled orders with a bank that pays every order, unless the test passes another bank. */
async function settledWorld(count: number, offRamp: (database: Database) => OffRamp = gullibleBank) {
  const settled = await settle(count, offRamp);
  await openBook(settled.world.context.database);
  return settled;
}

async function expectEachPaidOnce(database: Database, count: number): Promise<void> {
  const times = [...(await paidTimes(database)).values()];
  expect(times).to.have.length(count);
  expect(times.every((n) => n === 1)).to.equal(true);
}

/** Before and after the order, which is when a payout could be lost or made twice. */
const DECISIVE: readonly Step[] = ["the payout is claimed", "the bank has paid"];

describe("a payout is made once although the worker dies when", () => {
  for (const step of DEEP ? STEPS : DECISIVE) {
    it.concurrent(step, async () => {
      const { world, url } = await settledWorld(3);
      const { database } = world.context;
      const child = Bun.spawn([process.execPath, SCRIPT, url, step], { stdout: "ignore", stderr: "inherit" });
      await child.exited;
      expect(child.signalCode).to.equal("SIGKILL");
      const survivor = await startWorker(url);
      await allCompleted(database, 3, 120_000);
      await expectEachPaidOnce(database, 3);
      await survivor.stop();
      await world.close();
    }, 150_000);
  }
});

describe("payouts", () => {
  it("are shared by two replicas without one being paid twice", async () => {
    const { world, url } = await settledWorld(60);
    const replicas = await Promise.all([startWorker(url), startWorker(url)]);
    await allCompleted(world.context.database, 60, 30_000);
    await expectEachPaidOnce(world.context.database, 60);
    await Promise.all(replicas.map((replica) => replica.stop()));
    await world.close();
  }, 60_000);

  it("are claimed by one of many concurrent workers", async () => {
    const { world, ids } = await settledWorld(10);
    const payers = Array.from({ length: 8 }, () => createPayoutHandler(world.context, () => undefined));
    await Promise.all(payers.map((pay) => pay(ids)));
    await expectEachPaidOnce(world.context.database, 10);
    await world.close();
  });
});

describe("a payout whose creation has", () => {
  const once = async (offRamp: (database: Database) => OffRamp) => {
    const { world, ids } = await settledWorld(1, offRamp);
    const { database } = world.context;
    const [id = ""] = ids;
    const pay = createPayoutHandler(world.context, () => undefined);
    await pay(ids);
    return { world, database, id, again: () => pay(ids) };
  };

  it("a lost response is quarantined, and found again by its reference", async () => {
    const { world, database, id, again } = await once((database) => ({
      ...gullibleBank(database),
      async create(order) {
        await gullibleBank(database).create(order);
        throw new Error("connection reset");
      },
    }));
    expect((await stateOf(database, id))?.state).to.equal("quarantined");
    await until(
      async () => {
        await again();
        return (await stateOf(database, id))?.state === "completed";
      },
      { what: "The payout found", timeoutMs: 10_000 },
    );
    await expectEachPaidOnce(database, 1);
    await world.close();
  });

  it("never reached the bank is created again only if the bank reports that it does not know it", async () => {
    let calls = 0;
    const { world, database, id, again } = await once((database) => ({
      ...gullibleBank(database),
      async create(order) {
        if (++calls === 1) throw new Error("connection refused");
        return gullibleBank(database).create(order);
      },
    }));
    expect((await stateOf(database, id))?.state).to.equal("quarantined");
    await until(
      async () => {
        await again();
        return (await stateOf(database, id))?.state === "completed";
      },
      { what: "The payout made", timeoutMs: 10_000 },
    );
    expect(calls).to.equal(2);
    await world.close();
  });

  it("been rejected has failed, and is not retried", async () => {
    const { world, database, id } = await once((database) => ({
      ...gullibleBank(database),
      create: () => Promise.reject(new TransferRefused("no such account")),
    }));
    const row = await stateOf(database, id);
    expect(row).to.include({ state: "failed", failure: "no such account", nextAttemptAt: null });
    await world.close();
  });
});

it("data of one payout that cannot be stored does not prevent the others from being stored", async () => {
  let odd = "";
  const { world, ids } = await settledWorld(3, (database) => {
    const bank = gullibleBank(database);
    return {
      ...bank,
      async create(order) {
        const transfer = await bank.create(order);
        return order.reference === odd ? { ...transfer, providerId: "\u0000" } : transfer;
      },
    };
  });
  const { database } = world.context;
  const [first = ""] = ids;
  odd = (await stateOf(database, first))?.reference ?? "";
  await createPayoutHandler(world.context, () => undefined)(ids);
  const states = await Promise.all(ids.map(async (id) => (await stateOf(database, id))?.state));
  expect(states).to.deep.equal(["created", "completed", "completed"]);
  expect((await stateOf(database, first))?.nextAttemptAt).to.be.instanceOf(Date);
  await expectEachPaidOnce(database, 3);
  await world.close();
});

describe("no payout is made", () => {
  it("while the bank cannot be queried for the reference", async () => {
    const { world, ids } = await settledWorld(1, (database) => ({
      ...gullibleBank(database),
      lookUp: () => Promise.reject(new Error("503")),
    }));
    await createPayoutHandler(world.context, () => undefined)(ids);
    expect((await paidTimes(world.context.database)).size).to.equal(0);
    await world.close();
  });

  it("for a settlement that was reorged after it was planned", async () => {
    const { world, ids } = await settledWorld(1);
    const { database } = world.context;
    await database.execute("delete from chain.settlement");
    await createPayoutHandler(world.context, () => undefined)(ids);
    expect((await paidTimes(database)).size).to.equal(0);
    expect((await stateOf(database, ids[0] ?? ""))?.state).to.equal("created");
    await world.close();
  });

  it("for a payout whose order was lost and whose settlement is gone: it is no longer ambiguous", async () => {
    const { world, ids } = await settledWorld(1);
    const { database } = world.context;
    await database.update(payout).set({ state: "quarantined" });
    await database.execute("delete from chain.settlement");
    await createPayoutHandler(world.context, () => undefined)(ids);
    expect((await paidTimes(database)).size).to.equal(0);
    expect((await stateOf(database, ids[0] ?? ""))?.state).to.equal("created");
    await world.close();
  });

  it("while the indexer is not current", async () => {
    const { world, ids } = await settledWorld(1);
    await world.chain.ready(false);
    await createPayoutHandler(world.context, () => undefined)(ids);
    expect((await paidTimes(world.context.database)).size).to.equal(0);
    await world.close();
  });
});

describe("a provider's later report on a payout", () => {
  type Say = (known: Transfer | undefined) => Transfer | undefined;
  let say: Say = (known) => known;
  let settled: Awaited<ReturnType<typeof settledWorld>>;
  let pay: (ids: string[]) => Promise<void>;
  beforeAll(async () => {
    settled = await settledWorld(3, (database) => {
      const bank = gullibleBank(database);
      return { ...bank, lookUp: async (reference) => say(await bank.lookUp(reference)) };
    });
    pay = createPayoutHandler(settled.world.context, () => undefined);
  });
  afterAll(() => settled.world.close());

  /** Polls the payout now, with this response from the provider. */
  async function hears(id: string, what: Say) {
    const { database } = settled.world.context;
    say = what;
    await database.update(payout).set({ nextAttemptAt: sql`clock_timestamp()` }).where(eq(payout.id, id));
    await pay([id]);
    return stateOf(database, id);
  }

  it("that it is pending again does not change a completed payout", async () => {
    const [id = ""] = settled.ids;
    await pay([id]);
    const pending = {
      state: "pending",
      failure: "its state is refund_in_flight",
      completedAt: null,
    } as const;
    const row = await hears(id, (known) => known && { ...known, ...pending });
    expect(row).to.include({ state: "completed" });
    expect(row?.nextAttemptAt).to.be.instanceOf(Date);
    const back = await hears(id, (known) => known && { ...known, state: "returned", failure: "refunded" });
    expect(back).to.include({ state: "returned" });
  });

  it("of a different amount, and then that it does not exist, never causes a second order", async () => {
    const id = settled.ids[1] ?? "";
    const { database } = settled.world.context;
    await pay([id]);
    const odd = await hears(id, (known) => known && { ...known, amount: known.amount + 1n });
    expect(odd).to.include({ state: "quarantined" });
    await database.update(payout).set({ providerId: null }).where(eq(payout.id, id));
    const again = await hears(id, (known) => known && { ...known, amount: known.amount + 1n });
    expect(again?.providerId).to.be.a("string");
    expect(await hears(id, () => undefined)).to.include({ state: "quarantined" });
    await expectEachPaidOnce(database, 2);
  });

  it("about its fee reaches the ledger", async () => {
    const id = settled.ids[2] ?? "";
    const { database } = settled.world.context;
    const post = createPoster(settled.world.context, 0);
    await pay([id]);
    await post();
    await hears(id, (known) => known && { ...known, fee: 1_000_000n });
    await post();
    const fees = await database
      .select({ amount: ledgerPosting.amount })
      .from(ledgerPosting)
      .where(and(eq(ledgerPosting.payoutId, id), eq(ledgerPosting.kind, "fee")));
    expect(fees).to.deep.equal([{ amount: 1_000_000n }]);
    expect(await stateOf(database, id)).to.include({ postedState: "completed" });
  });
});

it("a returned payout is noticed within its return window, and others are no longer polled afterward", async () => {
  let returned = false;
  const { world, ids } = await settledWorld(1, (database) => {
    const bank = gullibleBank(database);
    return {
      ...bank,
      async lookUp(reference) {
        const known = await bank.lookUp(reference);
        return known && returned ? { ...known, state: "returned", failure: "account closed" } : known;
      },
    };
  });
  const { database } = world.context;
  const [id = ""] = ids;
  const pay = createPayoutHandler(world.context, () => undefined);
  await pay(ids);
  const completed = await stateOf(database, id);
  expect(completed?.state).to.equal("completed");
  expect(completed?.finalAt?.getTime()).to.equal((completed?.completedAt?.getTime() ?? 0) + 60_000);
  returned = true;
  await database.update(payout).set({ nextAttemptAt: new Date() });
  await pay(ids);
  expect(await stateOf(database, id)).to.include({ state: "returned", failure: "account closed" });
  await database.update(payout).set({
    state: "completed",
    finalAt: new Date(Date.now() - 1),
    nextAttemptAt: new Date(),
  });
  returned = false;
  await pay(ids);
  expect((await stateOf(database, id))?.nextAttemptAt).to.equal(null);
  await world.close();
});

it("a payout whose window ends while the indexer restarts is polled as soon as the clock is known again", async () => {
  const { world, ids } = await settledWorld(1);
  const { database } = world.context;
  const [id = ""] = ids;
  const YEAR = 365 * 86_400;
  const pay = createPayoutHandler(world.context, () => undefined);
  const payNow = async () => {
    await database.update(payout).set({ nextAttemptAt: new Date() });
    await pay(ids);
    return stateOf(database, id);
  };
  const moved = Math.floor(Date.now() / 1000) + YEAR;
  await world.chain.head(100, moved);
  const completed = await payNow();
  expect(completed?.state).to.equal("completed");
  const lead = (completed?.finalAt?.getTime() ?? 0) - (completed?.completedAt?.getTime() ?? 0) - 60_000;
  expect(lead / 1_000, "by the chain's clock").to.be.closeTo(YEAR, 5);
  await database.update(payout).set({ finalAt: new Date((moved - 1) * 1_000) });
  // The indexer's head predates the clock change.
  await world.chain.head(90);
  await world.chain.ready(false);
  const unknown = await payNow();
  expect(
    (unknown?.nextAttemptAt?.getTime() ?? 0) - Date.now(),
    "milliseconds until it is asked",
  ).to.be.within(0, 10_000);
  await world.chain.ready(true);
  await world.chain.head(100, moved);
  expect((await payNow())?.nextAttemptAt).to.equal(null);
  await world.close();
});
