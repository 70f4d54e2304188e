import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { asc, eq, inArray, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { storeTerms } from "#core/chain/terms.ts";
import type { Config } from "#core/config/config.ts";
import { intent } from "#core/db/schema/intents.ts";
import { ledgerPosting } from "#core/db/schema/ledger.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { addCopies } from "./support/copies.ts";
import { BASE_FEE, relayingChain, SILENT } from "./support/fake-rpc.ts";
import type { TestIntent } from "./support/intents.ts";
import { elapse, working } from "./support/work.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
afterEach(() => world.close());

const OTHER = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

const start = async (refuses?: (data: Hex) => boolean) => {
  const answers = relayingChain((data) => refuses?.(data) ?? false);
  world = await makeWorld({ answers });
  return { settle: working(world.context, "settle"), sent: answers.sent };
};

/** Starts with a different settlement configuration. */
async function startWith(change: Partial<Config["settle"]>) {
  await start();
  const { config } = world.context;
  return working(
    { ...world.context, config: { ...config, settle: { ...config.settle, ...change } } },
    "settle",
  );
}

/** Adds a fully released order that was funded in block 1. */
async function released(more: Parameters<World["addIntent"]>[0] = {}): Promise<TestIntent> {
  const made = await world.addIntent(more);
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.change(made.orderId, 2, { status: 3, released: made.terms.amount });
  return made;
}

/** Returns the orders of each settle transaction. */
async function settleTransactions(): Promise<string[][]> {
  const rows = await world.context.database
    .select()
    .from(transactionOrder)
    .innerJoin(transaction, eq(transaction.id, transactionOrder.transactionId))
    .orderBy(asc(transaction.nonce));
  return [...Map.groupBy(rows, (row) => row.transaction.id).values()].map((group) =>
    group.map((row) => row.transaction_order.orderId).sort(),
  );
}

const ids = (made: readonly TestIntent[]) => made.map((one) => one.orderId).sort();

describe("on-chain settlement", () => {
  it("batches released orders into one transaction, each exactly once, however often it runs", async () => {
    const { settle, sent } = await start();
    const made = [await released(), await released(), await released()];
    await world.chain.head(10);
    await settle();
    await settle();
    expect(await settleTransactions()).to.deep.equal([ids(made)]);
    expect(sent).to.have.length(1);
  });

  it("is repeated for an ended payment only if it was reorged", async () => {
    const { settle } = await start();
    const [lost] = [
      await released({ lastEmittedStatus: "FINAL" }),
      await released({ lastEmittedStatus: "FINAL" }),
    ];
    await world.chain.head(10);
    await settle();
    expect(await settleTransactions()).to.deep.equal([]);
    const { database, deployment } = world.context;
    await database.insert(ledgerPosting).values({
      deploymentId: deployment.id,
      kind: "lost",
      subject: "1",
      revision: 1,
      reversed: false,
      amount: lost.terms.amount,
      intentId: lost.id,
    });
    // Schedules work like the ledger when it posts a loss.
    const { orderId } = lost;
    await scheduleWork(database, deployment.id, [
      { orderId, merchantId: MERCHANT, purpose: "settle", ...NOW },
    ]);
    await settle();
    expect(await settleTransactions()).to.deep.equal([[lost.orderId]]);
  });

  it("fills batches of at most twenty orders", async () => {
    const { settle } = await start();
    for (let i = 0; i < 21; i++) await released();
    await world.chain.head(10);
    await settle();
    expect((await settleTransactions()).map((orders) => orders.length)).to.deep.equal([20, 1]);
  });

  it("waits for a full batch, or until the oldest order is old enough", async () => {
    const settle = await startWith({ batchSize: 3, batchAge: 60 });
    const made = [await released(), await released()];
    await world.chain.head(60);
    await settle();
    expect(await settleTransactions()).to.deep.equal([]);
    made.push(await released());
    await elapse(world.context);
    await settle();
    expect(await settleTransactions()).to.deep.equal([ids(made)]);
    const last = await released();
    await settle();
    expect(await settleTransactions()).to.have.length(1);
    await world.chain.head(61);
    await settle();
    expect((await settleTransactions()).slice(1)).to.deep.equal([[last.orderId]]);
  });

  it("waits while gas is expensive, but not forever", async () => {
    const settle = await startWith({ maxBaseFee: BASE_FEE - 1n, maxWait: 600 });
    await released();
    await world.chain.head(600);
    await settle();
    expect(await settleTransactions()).to.deep.equal([]);
    await world.chain.head(601);
    await settle();
    expect(await settleTransactions()).to.have.length(1);
  });

  it("does not wait if gas is cheap enough", async () => {
    const settle = await startWith({ maxBaseFee: BASE_FEE });
    await released();
    await world.chain.head(10);
    await settle();
    expect(await settleTransactions()).to.have.length(1);
  });

  it("is done once if three replicas see the same orders", async () => {
    const { settle } = await start();
    const made = [await released(), await released()];
    await world.chain.head(10);
    const others = [working(world.context, "settle"), working(world.context, "settle")];
    await Promise.all([settle(), ...others.map((other) => other())]);
    expect(await settleTransactions()).to.deep.equal([ids(made)]);
  });

  it("waits until the funding is confirmed", async () => {
    const { settle } = await start();
    await released();
    await world.chain.head(4);
    await settle();
    expect(await settleTransactions()).to.deep.equal([]);
    await world.chain.head(5);
    await settle();
    expect(await settleTransactions()).to.have.length(1);
  });

  it("skips orders that are canceled, withdrawn, already settled or not released", async () => {
    const { settle } = await start();
    await released({ canceledAt: new Date() });
    const withdrawn = await released();
    await world.chain.change(withdrawn.orderId, 3, { status: 0, withdrawn: 1n });
    const settled = await released();
    await world.chain.change(settled.orderId, 3, { status: 4, settled: settled.terms.amount });
    const held = await world.addIntent();
    await world.chain.fund(held.orderId, held.terms, 1, PAYER);
    await world.chain.head(10);
    await settle();
    expect(await settleTransactions()).to.deep.equal([]);
  });

  it("is refused while the indexer is not current", async () => {
    const { settle } = await start();
    await released();
    await world.chain.head(10);
    await world.chain.ready(false);
    const outcome = await settle().then(
      () => "done",
      () => "refused",
    );
    expect(outcome).to.equal("refused");
    expect(await settleTransactions()).to.deep.equal([]);
  });

  it("is not blocked by one failing order", async () => {
    let bad: Hex = "0x";
    const { settle } = await start((data) => data.includes(bad.slice(2)));
    const made = [await released(), await released(), await released()];
    bad = made[1]?.terms.salt ?? "0x";
    await world.chain.head(10);
    await settle();
    const done = await settleTransactions();
    expect(done.flat().sort()).to.deep.equal(ids(made.filter((one) => one.terms.salt !== bad)));
    await settle();
    expect(await settleTransactions()).to.have.length(done.length);
  });

  it("continues in the same pass past every order in a token that rejects the transfer", async () => {
    const { settle } = await start((data) => data.includes(OTHER.slice(2).toLowerCase()));
    const { database } = world.context;
    const rejected = await released();
    await database
      .update(intent)
      .set({ terms: storeTerms({ ...rejected.terms, token: OTHER }) })
      .where(eq(intent.id, rejected.id));
    await addCopies(database, rejected, { count: 1_200 });
    const healthy = [await released(), await released()];
    for (const { orderId } of healthy) await world.chain.change(orderId, 2, { createdBlock: 2 });
    await world.chain.head(10);
    await settle();
    expect(await settleTransactions()).to.deep.equal([ids(healthy)]);
    // None of the failed orders is retried together with a new order.
    const next = await released();
    await settle();
    expect((await settleTransactions()).slice(1)).to.deep.equal([[next.orderId]]);
  });

  it("retries an order that its transaction did not settle, with increasing delays", async () => {
    const { settle } = await start();
    await released();
    await world.chain.head(10);
    await settle();
    const { database } = world.context;
    // The transaction is final in an indexed block, and the order is unchanged, so the contract has skipped it.
    const finish = (seconds: number) =>
      database.update(transaction).set({
        state: "final",
        succeeded: true,
        blockNumber: 9,
        updatedAt: sql`clock_timestamp() - ${seconds} * interval '1 second'`,
      });
    await finish(4);
    await elapse(world.context);
    await settle();
    expect(await settleTransactions()).to.have.length(1);
    await finish(6);
    await elapse(world.context);
    await settle();
    expect(await settleTransactions()).to.have.length(2);
    await finish(8);
    await elapse(world.context);
    await settle();
    expect(await settleTransactions()).to.have.length(2);
    await finish(11);
    await elapse(world.context);
    await settle();
    expect(await settleTransactions()).to.have.length(3);
  });

  it("waits for a final transaction whose block is not indexed yet", async () => {
    const { settle } = await start();
    await released();
    await world.chain.head(10);
    await settle();
    await world.context.database.update(transaction).set({
      state: "final",
      succeeded: true,
      blockNumber: 11,
      updatedAt: sql`clock_timestamp() - interval '1 day'`,
    });
    await elapse(world.context);
    await settle();
    expect(await settleTransactions()).to.have.length(1);
  });

  it("batches many payees, but separates tokens and off-ramps", async () => {
    const { settle } = await start();
    const [one, payee, token, offRamp] = [
      await released(),
      await released(),
      await released(),
      await released(),
    ];
    for (const [made, term] of [
      [payee, "payee"],
      [token, "token"],
      [offRamp, "offRamp"],
    ] as const) {
      await world.context.database
        .update(intent)
        .set({ terms: storeTerms({ ...made.terms, [term]: OTHER }) })
        .where(eq(intent.id, made.id));
    }
    await world.chain.head(10);
    await settle();
    const batches = (await settleTransactions()).map((orders) => orders.join());
    expect(batches).to.have.members([ids([one, payee]).join(), token.orderId, offRamp.orderId]);
  });
});

describe("a settlement that the node does not answer", () => {
  const USDT = "dc64a140aa3e981100a9beca4e685f962f0cf6c9";

  /** @param hangs a function that receives the salts of the orders in a call */
  async function startHanging(hangs: (data: string) => boolean) {
    const calls: string[] = [];
    const answers = relayingChain(undefined, (data) => {
      calls.push(data);
      return hangs(data);
    });
    world = await makeWorld({ answers });
    return { settle: working(world.context, "settle"), calls, answers };
  }

  const itemsOf = async (made: readonly TestIntent[]) => {
    const rows = await world.context.database.select().from(workItem).where(eq(workItem.purpose, "settle"));
    return made.map(({ orderId }) => rows.find((row) => row.orderId === orderId));
  };

  const setAttempts = (made: readonly TestIntent[], attempts: number) =>
    world.context.database
      .update(workItem)
      .set({ attempts })
      .where(inArray(workItem.orderId, ids(made)));

  const saltOf = ({ terms }: TestIntent): string => terms.salt.slice(2);

  it("is an attempt with a reason, becomes a dead letter, and blocks no other token", async () => {
    const { settle } = await startHanging((data) => data.toLowerCase().includes(USDT));
    const bad = await released({ currency: "USDT" });
    const good = await released();
    await world.chain.head(10);
    await settle();
    expect(await settleTransactions()).to.deep.equal([[good.orderId]]);
    const [item] = await itemsOf([bad]);
    expect(item).to.include({ clock: "wall", attempts: 1 });
    expect(item?.lastError).to.match(/node did not answer this call/);
    await setAttempts([bad], 47);
    await elapse(world.context);
    await settle();
    expect((await itemsOf([bad]))[0]).to.include({ clock: "dead", attempts: 48 });
  });

  it("delays none of the other orders of its batch if only one order is at fault", async () => {
    let salt = "none";
    const { settle } = await startHanging((data) => data.includes(salt));
    const made = [];
    for (let i = 0; i < 5; i++) made.push(await released());
    const [bad, ...good] = made as [TestIntent, ...TestIntent[]];
    salt = saltOf(bad);
    await world.chain.head(10);
    await settle();
    expect((await settleTransactions()).flat().sort()).to.deep.equal(ids(good));
    expect((await itemsOf([bad]))[0]).to.include({ attempts: 1 });
  });

  it("costs at most three timeouts per token and run, after the healthy orders of the other tokens", async () => {
    const { settle, calls } = await startHanging((data) => data.toLowerCase().includes(USDT));
    const bad = [];
    for (let i = 0; i < 25; i++) bad.push(await released({ currency: "USDT" }));
    await world.chain.head(10);
    await settle();
    expect(calls).to.have.length(3);
    // The orders of the batch were tried in it; the others were not.
    const attempts = (await itemsOf(bad)).map((item) => item?.attempts ?? 0);
    expect(attempts.filter((count) => count === 1)).to.have.length(20);
    expect(attempts.filter((count) => count === 0)).to.have.length(5);
    await setAttempts(bad, 3);
    const good = await released();
    await elapse(world.context);
    await settle();
    expect(calls.map((data) => data.includes(saltOf(good)))).to.deep.equal([
      ...[false, false, false],
      ...[true, false, false, false],
    ]);
  });

  it("does not keep the other orders of the batch from having their turn, and from being retried soon", async () => {
    const salts: string[] = [];
    const { settle } = await startHanging((data) => salts.some((salt) => data.includes(salt)));
    const made = [];
    for (let i = 0; i < 8; i++) made.push(await released());
    salts.push(...made.slice(0, 4).map(saltOf));
    const good = made.slice(4);
    await world.chain.head(10);
    for (let run = 0; run < 8; run++) {
      await elapse(world.context);
      await settle();
      for (const item of await itemsOf(good)) if (item?.lastError) expect(item.attempts).to.equal(1);
    }
    expect((await settleTransactions()).flat().sort()).to.deep.equal(ids(good));
  });

  it("is no attempt if the node answers nothing, and leaves earlier attempts as they are", async () => {
    const { settle, answers } = await startHanging(() => false);
    const made = [await released(), await released({ currency: "USDT" })] as const;
    await world.chain.head(10);
    Object.assign(answers, SILENT);
    await settle();
    for (const item of await itemsOf(made)) expect(item).to.include({ attempts: 0, lastError: null });
    await setAttempts([made[1]], 7);
    await elapse(world.context);
    await settle();
    expect((await itemsOf(made)).map((item) => item?.attempts)).to.deep.equal([0, 7]);
    expect(await settleTransactions()).to.deep.equal([]);
  });

  it("does not undo what the same run has done before the node stopped answering", async () => {
    const { settle, answers } = await startHanging(() => false);
    const made = [await released(), await released({ currency: "USDT" })];
    await world.chain.head(10);
    const send = answers.eth_sendRawTransaction;
    answers.eth_sendRawTransaction = (params) => {
      Object.assign(answers, SILENT);
      return send?.(params);
    };
    await settle();
    const [sent] = (await settleTransactions()).flat();
    const items = await itemsOf(made);
    const dueOf = (isSent: boolean) =>
      items.find((item) => item && (item.orderId === sent) === isSent)?.due ?? 0;
    // The order that was sent waits for its transaction, the other one for the node.
    expect(dueOf(true) - dueOf(false)).to.be.greaterThan(1_000);
  });
});
