// Tests changes between reading data and acting on it.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent, intentOrderId } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import { newId } from "#core/ids.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { createOutcomeWriter } from "#settlement/escrow/resolve-transactions.ts";
import { PENDING } from "#settlement/escrow/transaction-outcome.ts";
import { createObserver } from "#settlement/events/observe.ts";
import type { Context } from "#settlement/runtime/context.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { createScan } from "#settlement/runtime/scan-orders.ts";
import { createTracker } from "#settlement/runtime/track-orders.ts";
import {
  createClaim,
  finishWork,
  type Outcome,
  renewLeases,
  type WorkItem,
} from "#settlement/runtime/work-items.ts";
import { WorkLoop } from "#settlement/runtime/work-loop.ts";
import { createWorkHandlers } from "#settlement/work-handlers.ts";
import { untilBlocked } from "#test/support/lock-waits.ts";
import { addCopies } from "./support/copies.ts";
import { relayingChain } from "./support/fake-rpc.ts";
import type { TestIntent } from "./support/intents.ts";
import { insertPayout } from "./support/payouts.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

const RELEASED = 3;
const DISPUTED = 6;
const TIME_LOCKED = 1;

let world: World;
afterEach(() => world.close());

async function start(options: Parameters<typeof makeWorld>[0] = {}): Promise<() => Promise<unknown>> {
  world = await makeWorld(options);
  return createTracker(world.context);
}

async function itemsFor({ orderId }: TestIntent): Promise<string[]> {
  const rows = await world.context.database.select().from(workItem).where(eq(workItem.orderId, orderId));
  const acts = rows.filter(({ purpose }) => purpose !== "observe");
  return acts.map(({ purpose, clock, due }) => `${purpose} ${clock} ${due}`).sort();
}

const purposesFor = async (made: TestIntent) => (await itemsFor(made)).map((item) => item.split(" ")[0]);

async function funded(block: number, more?: Parameters<World["addIntent"]>[0]): Promise<TestIntent> {
  const made = await world.addIntent(more);
  await world.chain.fund(made.orderId, made.terms, block, PAYER);
  return made;
}

async function released(block: number, more?: Parameters<World["addIntent"]>[0]): Promise<TestIntent> {
  const made = await funded(block, more);
  await world.chain.change(made.orderId, block, { status: RELEASED, released: made.terms.amount });
  return made;
}

const cancel = ({ id }: TestIntent) => ({ set: { canceledAt: new Date() }, where: eq(intent.id, id) });

const schedule = (made: readonly TestIntent[], purpose: WorkPurpose, database: Pick<Database, "execute">) =>
  scheduleWork(
    database,
    world.context.deployment.id,
    made.map(({ orderId }) => ({ orderId, merchantId: MERCHANT, purpose, ...NOW })),
  );

/** A reorg to a shorter chain lowers the high-water mark. */
async function reorgTo(head: number): Promise<void> {
  await world.context.database.update(deployment).set({ highWaterBlock: 0 });
  await world.chain.head(head);
}

describe("a cancellation", () => {
  it("that commits between the tracker's read and its write refunds what was funded", async () => {
    const track = await start();
    const made = await world.addIntent();
    const { database } = world.context;
    let tracking: Promise<unknown> | undefined;
    await database.transaction(async (tx) => {
      const { set, where } = cancel(made);
      await tx.update(intent).set(set).where(where);
      await world.chain.fund(made.orderId, made.terms, 10, PAYER);
      await world.chain.head(10);
      tracking = track();
      await untilBlocked(world.context.database);
    });
    await tracking;
    expect(await purposesFor(made)).to.deep.equal(["return_late_funding"]);
  });

  it("whose work was lost is found by the scan as long as its money can be refunded", async () => {
    await start();
    const gone = await funded(10, { canceledAt: new Date(), lastEmittedStatus: "CANCELED" });
    const over = await released(10, { canceledAt: new Date(), lastEmittedStatus: "CANCELED" });
    await addCopies(world.context.database, gone, { count: 300 });
    await world.context.database.delete(workItem);
    await world.chain.head(100);
    const scan = createScan(world.context);
    expect(await scan()).to.equal(301);
    expect(await purposesFor(gone)).to.deep.equal(["return_late_funding"]);
    expect(await purposesFor(over)).to.deep.equal([]);
    expect(await scan()).to.equal(0);
  });
});

describe("an indexer that restarts between the tracker and the handler", () => {
  const handled: [WorkPurpose, (block: number) => Promise<TestIntent>][] = [
    ["settle", released],
    [
      "release_time_locked",
      async (block) => {
        const made = await funded(block);
        await world.chain.change(made.orderId, block, { releaseType: TIME_LOCKED, status: 1 });
        return made;
      },
    ],
    [
      "return_late_funding",
      (block) => funded(block, { canceledAt: new Date(), lastEmittedStatus: "CANCELED" }),
    ],
    [
      "plan_payouts",
      async (block) => {
        const made = await funded(1, { lastEmittedStatus: "SUCCEEDED" });
        await world.chain.settle(made.orderId, made.terms, block);
        return made;
      },
    ],
  ];
  for (const [purpose, make] of handled) {
    it(`does not remove ${purpose} work`, async () => {
      await start();
      const made = await make(10);
      await world.chain.head(100);
      const real = createWorkHandlers(world.context)[purpose];
      const handler = {
        ...real,
        async handle(items: readonly WorkItem[], head: Head) {
          await world.chain.ready(false);
          await world.chain.removeOrder(made.orderId);
          return real.handle(items, head);
        },
      };
      const problems = new Problems(world.context.log);
      const loop = new WorkLoop(world.context, { [purpose]: handler }, problems, () => undefined);
      expect(await loop.run()).to.equal(1);
      await loop.settled();
      const [item] = await world.context.database
        .select()
        .from(workItem)
        .where(and(eq(workItem.orderId, made.orderId), eq(workItem.purpose, purpose)));
      expect(item).to.include({ attempts: 0, clock: "wall" });
    });
  }
});

describe("a reorg", () => {
  it("that moves a dispute's deadline later moves its work later", async () => {
    const track = await start();
    const made = await funded(5);
    await world.chain.change(made.orderId, 10, { status: DISPUTED, disputeDeadline: 2_000_000_000 });
    await world.chain.head(12);
    await track();
    await world.chain.change(made.orderId, 11, { status: DISPUTED, disputeDeadline: 2_000_000_900 });
    await reorgTo(13);
    await track();
    expect(await itemsFor(made)).to.deep.equal(["resolve_expired_dispute time 2000000901"]);
  });

  it("that is noticed at its top is followed down to its deepest block immediately", async () => {
    const track = await start();
    const [deep, high] = [await released(60), await released(95)];
    await world.chain.head(100);
    await track();
    await world.chain.head(101);
    await track();
    await world.chain.removeOrder(deep.orderId);
    await world.chain.removeOrder(high.orderId);
    await reorgTo(102);
    await track();
    expect([await itemsFor(deep), await itemsFor(high)]).to.deep.equal([[], []]);
  });

  it("that the observer has not seen yet does not prevent a released order from being settled", async () => {
    const track = await start({ answers: relayingChain(() => false) });
    // A reorg has removed the refund, and the order was released instead.
    const made = await released(10, { lastEmittedStatus: "CANCELED" });
    await world.chain.head(100);
    const loop = new WorkLoop(
      world.context,
      { settle: createWorkHandlers(world.context).settle },
      new Problems(world.context.log),
      () => undefined,
    );
    await track();
    expect(await loop.run()).to.equal(1);
    await loop.settled();
    expect(await purposesFor(made)).to.deep.equal(["settle"]);
  });
});

describe("work scheduled by another process", () => {
  it("between the tracker's read and write is kept", async () => {
    const track = await start();
    const made = await funded(10);
    await world.chain.head(10);
    let tracking: Promise<unknown> | undefined;
    await world.context.database.transaction(async (tx) => {
      await tx.execute(sql`lock table gateway.tracked_order in exclusive mode`);
      tracking = track();
      await untilBlocked(world.context.database);
      await schedule([made], "release_milestone", world.context.database);
    });
    await tracking;
    expect(await purposesFor(made)).to.deep.equal(["release_milestone"]);
  });
});

describe("an observer that reads while another one writes", () => {
  it("reads the change again", async () => {
    const track = await start();
    const made = await funded(10);
    await world.chain.head(10);
    await track();
    const { reader } = world.context;
    const item = {
      orderId: made.orderId,
      merchantId: MERCHANT,
      purpose: "observe",
      revision: 0,
      attempts: 0,
    } as const;
    const other = createObserver(world.context);
    const changedMeanwhile: Context = {
      ...world.context,
      reader: {
        ...reader,
        async findAll(ids) {
          const views = await reader.findAll(ids);
          await other.handle([item], { block: 10, timestamp: 0 });
          return views;
        },
      },
    };
    const outcomes = await createObserver(changedMeanwhile).handle([item], { block: 10, timestamp: 0 });
    expect(outcomes.get(made.orderId)).to.have.property("delayMs");
  });
});

describe("a worker that continues after its lease", () => {
  it("neither ends nor delays work that was scheduled after another worker had finished its item", async () => {
    await start();
    const { database, deployment: current } = world.context;
    const made = await world.addIntent();
    await schedule([made], "settle", database);
    const claim = createClaim(database, current.id);
    const claimSettle = () => claim({ settle: 1 }, { block: 1, timestamp: 1 });
    const [late] = await claimSettle();
    await database.update(workItem).set({ leasedUntil: new Date(0) });
    const [taken] = await claimSettle();
    if (!late || !taken) throw new Error("The item was not claimed twice.");
    await finishWork(database, [[taken, "done"]]);
    await schedule([made], "settle", database);
    const itsWork = () =>
      database
        .select()
        .from(workItem)
        .where(and(eq(workItem.orderId, made.orderId), eq(workItem.purpose, "settle")));
    const scheduled = await itsWork();
    expect(scheduled).to.have.length(1);
    for (const outcome of ["done", { delayMs: 60_000 }] as const)
      await finishWork(database, [[late, outcome]]);
    expect(await itsWork()).to.deep.equal(scheduled);
  });

  it("does not store its outcome while, or after, another worker has claimed the item", async () => {
    await start();
    const { database, deployment: current } = world.context;
    const made = await world.addIntent();
    await schedule([made], "settle", database);
    const claim = createClaim(database, current.id);
    const claimSettle = async () => {
      const [item] = await claim({ settle: 1 }, { block: 1, timestamp: 1 });
      if (!item) throw new Error("The item was not claimed.");
      return item;
    };
    const itsWork = async () => {
      const rows = await database.select().from(workItem).where(eq(workItem.orderId, made.orderId));
      return rows.find(({ purpose }) => purpose === "settle");
    };
    const late = await claimSettle();
    await database.update(workItem).set({ leasedUntil: new Date(0) });
    const taken = await claimSettle();
    const LATE = ["done", { delayMs: 0 }, { refused: "late" }] as const;
    const claimed = await itsWork();
    await renewLeases(database, [late]);
    for (const outcome of LATE) await finishWork(database, [[late, outcome]]);
    expect(await itsWork()).to.deep.equal(claimed);
    await finishWork(database, [[{ ...taken, attempts: 47 }, { refused: "The wallet is frozen." }]]);
    const dead = await itsWork();
    expect(dead).to.include({ clock: "dead", lastError: "The wallet is frozen." });
    for (const outcome of LATE) await finishWork(database, [[late, outcome]]);
    expect(await itsWork()).to.deep.equal(dead);
  });
});

describe("the outcomes of transactions", () => {
  it("are written except for those that cannot be, whether a reorg reverses them or not", async () => {
    await start();
    const { database, deployment: current } = world.context;
    const ids = Array.from({ length: 6 }, () => newId("tx"));
    const key = { deploymentId: current.id, signer: PAYER, purpose: "settle" } as const;
    const states = ["pending", "pending", "mined", "mined", "mined", "mined"] as const;
    await database
      .insert(transaction)
      .values(ids.map((id, nonce) => ({ id, nonce, ...key, state: states[nonce] ?? "pending" })));
    await database.execute(sql`alter table gateway.transaction add check (nonce <> 3 or state = 'mined')`);
    await database.execute(sql`alter table gateway.transaction add check (nonce <> 0 or state = 'pending')`);
    const write = createOutcomeWriter(database);
    const written = await Promise.allSettled(
      ids.map((id, nonce) => {
        const was = states[nonce] ?? "pending";
        return write({ id, ...PENDING, was, state: was === "pending" ? "mined" : "pending" });
      }),
    );
    const found = await database.select().from(transaction).orderBy(transaction.nonce);
    expect(found.map(({ state }) => state)).to.deep.equal([
      ...["pending", "mined"],
      ...["pending", "mined", "pending", "pending"],
    ]);
    expect(written.map(({ status }) => status === "fulfilled")).to.deep.equal([
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
  });
});

describe("concurrent writers of work", () => {
  /** Records every error, also of statements that are repeated. */
  function recordErrors({ database }: Pick<Context, "database">) {
    const errors: unknown[] = [];
    const execute = async (query: SQL) => {
      try {
        return await database.execute(query);
      } catch (error) {
        errors.push(error);
        throw error;
      }
    };
    return { errors, recorded: { execute } as Pick<Database, "execute"> };
  }

  /** Adds payments without orders. */
  async function addMany(count: number): Promise<TestIntent[]> {
    const { database } = world.context;
    const template = await world.addIntent();
    await addCopies(database, template, { count: count - 1, order: null });
    const rows = await database.select({ orderId: intentOrderId }).from(intent);
    return rows.map(({ orderId }) => ({ ...template, orderId }));
  }

  it("do not deadlock: completed and scheduled work", async () => {
    await start();
    const { database, deployment: current } = world.context;
    const { errors, recorded } = recordErrors(world.context);
    const all = await addMany(1_001);
    const claim = createClaim(database, current.id);
    for (let round = 0; round < 10; round++) {
      await schedule(all, "settle", database);
      const items = await claim({ settle: 2_000 }, { block: 1, timestamp: 1 });
      const outcomes = items.map((item): [WorkItem, Outcome] => [
        item,
        round % 2 === 0 ? "done" : { delayMs: 1 },
      ]);
      await Promise.all([
        schedule(all.toReversed(), "settle", recorded),
        finishWork(recorded, outcomes.reverse()),
        schedule(all, "settle", recorded),
      ]);
    }
    expect(errors).to.deep.equal([]);
    expect(await database.$count(workItem, eq(workItem.purpose, "settle"))).to.equal(1_001);
  });

  it("do not deadlock: outcomes of transactions, and scheduled or completed work of their orders", async () => {
    await start();
    const { database, deployment: current } = world.context;
    const { errors, recorded } = recordErrors(world.context);
    const all = await addMany(200);
    const ids = all.map(() => newId("tx"));
    const key = { deploymentId: current.id, signer: PAYER, purpose: "create_order" } as const;
    await database.insert(transaction).values(ids.map((id, nonce) => ({ id, nonce, ...key })));
    // The ids of the orders are hashes: their order is not that of the transactions.
    const created = all.map(({ orderId }, number) => ({
      orderId,
      transactionId: ids[(number * 77) % 200] ?? "",
    }));
    await database
      .insert(transactionOrder)
      .values(created.map((one) => ({ ...one, purpose: "create_order" as const })));
    const claim = createClaim(database, current.id);
    const write = async (was: string, state: string) => {
      const outcomes = JSON.stringify(
        ids.map((id) => ({ id: transaction.id.mapToDriverValue(id), was, state })),
      );
      await recorded.execute(sql`select gateway.write_outcomes(${outcomes}::json)`);
    };
    for (let round = 0; round < 10; round++) {
      const items = await claim({ observe: 500 }, { block: 1, timestamp: 1 });
      await Promise.all([
        write("pending", "mined").then(() => write("mined", "pending")),
        schedule(all, "observe", recorded).then(() => schedule(all.toReversed(), "observe", recorded)),
        finishWork(
          recorded,
          items.map((item): [WorkItem, Outcome] => [item, "done"]),
        ),
      ]);
    }
    expect(errors).to.deep.equal([]);
    expect(await database.$count(transaction, eq(transaction.state, "pending"))).to.equal(200);
  });

  it("do not deadlock: reversed transactions of several orders, and scheduled or completed work of their orders", async () => {
    await start();
    const { database, deployment: current } = world.context;
    const { errors, recorded } = recordErrors(world.context);
    const all = await addMany(200);
    const ids = Array.from({ length: 10 }, () => newId("tx"));
    const key = { deploymentId: current.id, signer: PAYER, purpose: "settle" } as const;
    await database
      .insert(transaction)
      .values(ids.map((id, nonce) => ({ id, nonce, ...key, state: "mined" as const })));
    // The ids of the orders are hashes, so each transaction has orders between those of the others.
    const settled = all.map(({ orderId }, number) => ({ orderId, transactionId: ids[number % 10] ?? "" }));
    await database
      .insert(transactionOrder)
      .values(settled.map((one) => ({ ...one, purpose: "settle" as const })));
    const write = createOutcomeWriter(recorded);
    const reverse = () =>
      Promise.all(ids.map((id) => write({ id, ...PENDING, was: "mined", state: "pending" })));
    const claim = createClaim(database, current.id);
    for (let round = 0; round < 30; round++) {
      await schedule(all, "post_ledger", database);
      const items = await claim({ post_ledger: 500 }, { block: 1, timestamp: 1 });
      await Promise.all([
        reverse(),
        // Some orders only: a writer of all of them waits at the first one, and keeps nobody waiting meanwhile.
        schedule(all.slice(0, 20 + round), "post_ledger", recorded),
        schedule(all.slice(-20 - round), "post_ledger", recorded),
        finishWork(
          recorded,
          items.map((item): [WorkItem, Outcome] => [item, { delayMs: 1 }]),
        ),
      ]);
      expect(await database.$count(transaction, eq(transaction.state, "pending"))).to.equal(10);
      await database.update(transaction).set({ state: "mined" });
    }
    expect(errors).to.deep.equal([]);
    expect(await database.$count(workItem, eq(workItem.purpose, "post_ledger"))).to.equal(200);
  });

  it("do not deadlock: payouts that change in opposite orders", async () => {
    await start();
    const { database } = world.context;
    const made = await Promise.all(Array.from({ length: 60 }, () => world.addIntent()));
    const [first, second] = [0, 1].map((part) =>
      Promise.all(made.map((one) => insertPayout(database, one, { part, state: "created" }))),
    );
    const [ids, others] = [await first, (await second)?.toReversed()];
    const states = ["submitted", "created"] as const;
    const change = (some: string[] = [], state: (typeof states)[number]) =>
      database.execute(sql`update gateway.payout p set state = ${state}
        from (select id from unnest(${sql.param(some.map((id) => payout.id.mapToDriverValue(id)))}::uuid[]) id offset 0) k where p.id = k.id`);
    for (let round = 0; round < 20; round++) {
      const state = states[round % 2] ?? "created";
      await Promise.all([change(ids, state), change(others, state)]);
    }
    expect(await database.$count(payout, eq(payout.state, "created"))).to.equal(120);
  });
});
