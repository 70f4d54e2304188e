// An item's outcome is stored correctly: by the database's clock, with any text as the reason, and with the
// transactions that contributed.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { newId } from "#core/ids.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { createOrderReading } from "#settlement/escrow/due-orders.ts";
import { createPoster } from "#settlement/ledger/post.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { createScan } from "#settlement/runtime/scan-orders.ts";
import type { Outcome, WorkItem } from "#settlement/runtime/work-items.ts";
import { WorkLoop } from "#settlement/runtime/work-loop.ts";
import { openBooks } from "#test/ledger/support/books.ts";
import type { TestIntent } from "./support/intents.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

let world: Pick<World, "context" | "close">;
afterEach(() => world.close());

async function start(): Promise<World> {
  const made = await makeWorld();
  world = made;
  return made;
}

const schedule = (made: readonly TestIntent[]) =>
  scheduleWork(
    world.context.database,
    world.context.deployment.id,
    made.map(({ orderId }) => ({ orderId, merchantId: MERCHANT, purpose: "settle", ...NOW })),
  );

const settleItems = () =>
  world.context.database.select().from(workItem).where(eq(workItem.purpose, "settle"));

function loopWith(outcome: (item: WorkItem) => Outcome): { run: () => Promise<void>; tries: () => number } {
  let tries = 0;
  const handler = {
    atOnce: 50,
    async handle(items: readonly WorkItem[]) {
      tries += items.length;
      return new Map(items.map((item): [WorkItem["orderId"], Outcome] => [item.orderId, outcome(item)]));
    },
  };
  const loop = new WorkLoop(
    world.context,
    { settle: handler },
    new Problems(world.context.log),
    () => undefined,
  );
  return {
    run: async () => {
      while ((await loop.run()) > 0) await loop.settled();
    },
    tries: () => tries,
  };
}

describe("a process whose clock is wrong", () => {
  for (const [name, skewMs] of [
    ["two hours slow", -7_200_000],
    ["ten seconds slow", -10_000],
    ["ten minutes fast", 600_000],
  ] as const) {
    it(`waits as long as others with a clock that is ${name}`, async () => {
      const { addIntent } = await start();
      await schedule([await addIntent(), await addIntent()]);
      const { now } = Date;
      Date.now = () => now() + skewMs;
      try {
        let first = true;
        const { run, tries } = loopWith(() => {
          const refused = first;
          first = false;
          return refused ? { refused: "no" } : { delayMs: 5_000 };
        });
        await run();
        expect(tries()).to.equal(2);
      } finally {
        Date.now = now;
      }
      const { rows } = await world.context.database.execute<{ wait: number }>(sql`
        select (due - extract(epoch from clock_timestamp()) * 1000)::int as wait from gateway.work_item
        where purpose = 'settle' and clock = 'wall'`);
      expect(rows).to.have.length(2);
      for (const { wait } of rows) expect(wait).to.be.within(1, 6_000);
    });
  }
});

describe("a reason", () => {
  it("that a database cannot store unchanged does not prevent other writes", async () => {
    const { addIntent } = await start();
    const made = await Promise.all(Array.from({ length: 5 }, () => addIntent()));
    await schedule(made);
    const [odd, cut] = made;
    const { run } = loopWith(({ orderId }) => {
      if (orderId === odd?.orderId) return { refused: "a\0b\ud800" };
      if (orderId === cut?.orderId) return { refused: `${"x".repeat(499)}😀` };
      return "done";
    });
    await run();
    const reasons = (await settleItems()).map(({ lastError }) => lastError?.slice(-4)).sort();
    expect(reasons).to.deep.equal(["ab\ufffd", "xxx\ufffd"]);
  });
});

describe("transactions that changed their order", () => {
  it("do not make it wait longer", async () => {
    const { addIntent, chain } = await start();
    const { database, deployment, relayer } = world.context;
    const made = await addIntent();
    await chain.fund(made.orderId, made.terms, 1, PAYER);
    await chain.head(100);
    const send = async (nonce: number, succeeded: boolean) => {
      const id = newId("tx");
      const signer = relayer.account.address;
      const sent = { deploymentId: deployment.id, signer, nonce } as const;
      const mined = { state: "final", succeeded, blockNumber: 50 } as const;
      await database.insert(transaction).values({ id, purpose: "release_milestone", ...sent, ...mined });
      await database
        .insert(transactionOrder)
        .values({ transactionId: id, orderId: made.orderId, purpose: "release_milestone" });
    };
    for (const nonce of [0, 1, 2, 3]) await send(nonce, true);
    await send(4, false);
    expect(await database.$count(transactionOrder)).to.equal(5);
    const read = createOrderReading(world.context, "release_milestone", undefined, "all_milestones");
    const [order] = await read([
      { orderId: made.orderId, merchantId: MERCHANT, purpose: "release_milestone", revision: 0, attempts: 0 },
    ]);
    expect(order).to.include({ transactions: 5, unhelpful: 1 });
  });
});

describe("a settlement that was reorged after the bank had paid", () => {
  async function lose() {
    const books = await openBooks();
    world = books;
    await books.begin();
    const made = await books.settled(10);
    await books.postAt(20);
    await books.payOut(made, "completed", { block: 10 });
    await books.postAt(21);
    await books.database.update(intent).set({ lastEmittedStatus: "FINAL" });
    await books.database.delete(workItem);
    await books.unsettle(made);
    await books.head(30);
    return { books, made };
  }

  it("is posted only together with the work that settles it again", async () => {
    const { books, made } = await lose();
    await books.database.execute(sql`create function gateway.refuse_settle() returns trigger language plpgsql as
      $$ begin raise exception 'no room'; end $$`);
    await books.database.execute(sql`create trigger refuse_settle before insert on gateway.work_item for each row
      when (new.purpose = 'settle') execute function gateway.refuse_settle()`);
    const post = createPoster(books.context, 0);
    await post();
    expect((await books.postings(made.id)).join()).not.to.include("lost");
    await books.database.execute(sql`drop trigger refuse_settle on gateway.work_item`);
    await post();
    expect((await books.postings(made.id)).join()).to.include("lost");
    expect(await settleItems()).to.have.length(1);
  });

  it("is found by the scan if that work was lost", async () => {
    const { books } = await lose();
    await books.post();
    expect(await books.database.$count(ledgerPosting, eq(ledgerPosting.kind, "lost"))).to.equal(1);
    await books.database.delete(workItem);
    expect(await createScan(books.context)()).to.equal(1);
    expect((await settleItems()).map(({ clock }) => clock)).to.deep.equal(["block"]);
  });
});
