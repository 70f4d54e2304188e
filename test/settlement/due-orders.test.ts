// Expired time locks, pending milestones, undecided disputes: the service calls the contract once per order.
import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { decodeFunctionData, type Hex } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { OrderRow } from "#core/db/chain.ts";
import { intent, milestone } from "#core/db/schema/intents.ts";
import { transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { newId } from "#core/ids.ts";
import { parseCall } from "#core/relayer/parse-call.ts";
import { timeOf } from "./support/chain-tables.ts";
import { addCopies } from "./support/copies.ts";
import { relayingChain, SILENT } from "./support/fake-rpc.ts";
import type { TestIntent } from "./support/intents.ts";
import { elapse, working } from "./support/work.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

const [CREATED, SHIPPED, DELIVERED, AWAITING, DISPUTED] = [0, 1, 2, 3, 6];
const [TIME_LOCKED, MILESTONE_LOCKED] = [1, 2];
const HEAD = 100;
/** The timestamp of the block `HEAD` on the test chain. */
const NOW = timeOf(HEAD);

let world: World;
afterEach(() => world.close());

async function start(refuses?: (data: Hex) => boolean, hangs?: (data: Hex) => boolean) {
  let asked = 0;
  const answers = relayingChain(refuses, (data) => {
    asked++;
    return hangs?.(data) ?? false;
  });
  world = await makeWorld({ answers });
  await world.chain.head(HEAD);
  return {
    release: working(world.context, "release_time_locked"),
    releaseMilestones: working(world.context, "release_milestone"),
    endDisputes: working(world.context, "resolve_expired_dispute"),
    asked: () => asked,
    answers,
  };
}

async function ordered(order: Partial<OrderRow>, more: Parameters<World["addIntent"]>[0] = {}) {
  const made = await world.addIntent(more);
  await world.chain.fund(made.orderId, made.terms, 1, PAYER);
  await world.chain.change(made.orderId, 2, order);
  return made;
}

const locked = (status: number, timeLockUntil: number, more?: Parameters<World["addIntent"]>[0]) =>
  ordered({ releaseType: TIME_LOCKED, status, timeLockUntil }, more);

/** Returns the purposes of the transactions that were sent for an order. */
async function callsFor({ orderId }: TestIntent): Promise<string[]> {
  const rows = await world.context.database
    .select()
    .from(transactionOrder)
    .where(eq(transactionOrder.orderId, orderId));
  return rows.map(({ purpose }) => purpose);
}

describe("a time lock", () => {
  it("expires exactly by the chain's time, at any local time", async () => {
    const { release } = await start();
    const over = await locked(DELIVERED, NOW);
    const running = await locked(DELIVERED, NOW + 1);
    await release();
    expect(await callsFor(over)).to.deep.equal(["release_time_locked"]);
    expect(await callsFor(running)).to.deep.equal([]);
    await world.chain.head(HEAD + 1);
    await release();
    expect(await callsFor(running)).to.deep.equal(["release_time_locked"]);
  });

  it("that expired while no worker was running is released by the first pass of a new one", async () => {
    await start();
    const due = await Promise.all([
      locked(SHIPPED, NOW - 30 * 86_400),
      locked(DELIVERED, NOW - 1),
      locked(DELIVERED, 1),
    ]);
    await working(world.context, "release_time_locked")();
    for (const one of due) expect(await callsFor(one)).to.deep.equal(["release_time_locked"]);
  });

  it("releases shipped and delivered orders; canceled and other orders wait", async () => {
    const { release } = await start();
    const shipped = await locked(SHIPPED, 1);
    const created = await locked(CREATED, 1);
    const canceled = await locked(SHIPPED, 1, { canceledAt: new Date() });
    const other = await ordered({ status: DELIVERED });
    await release();
    expect(await callsFor(shipped)).to.deep.equal(["release_time_locked"]);
    for (const waits of [created, canceled, other]) expect(await callsFor(waits)).to.deep.equal([]);
    await world.chain.change(created.orderId, HEAD, { status: SHIPPED });
    await release();
    expect(await callsFor(created)).to.deep.equal(["release_time_locked"]);
  });

  it("releases once, however often and by however many workers it is processed", async () => {
    const { release } = await start();
    const order = await locked(SHIPPED, NOW);
    await Promise.all([release(), working(world.context, "release_time_locked")(), release()]);
    await release();
    expect(await callsFor(order)).to.deep.equal(["release_time_locked"]);
  });

  it("that somebody else has released is not an error: nothing is sent, and nothing is retried immediately", async () => {
    const { release, asked } = await start(() => true);
    const order = await locked(SHIPPED, NOW);
    const other = await locked(SHIPPED, NOW);
    await release();
    await release();
    expect(asked()).to.equal(2);
    await world.chain.change(order.orderId, HEAD + 1, { status: AWAITING });
    await release();
    for (const left of [order, other]) expect(await callsFor(left)).to.deep.equal([]);
  });

  it("is released in the same pass, however many earlier ones the contract rejects", async () => {
    let salt = "";
    const { release } = await start((data) => !data.includes(salt));
    await addCopies(world.context.database, await locked(SHIPPED, NOW - 1), { count: 1_200 });
    const healthy = await locked(SHIPPED, NOW);
    salt = healthy.terms.salt.slice(2);
    await world.chain.change(healthy.orderId, 2, { createdBlock: 2 });
    await release();
    expect(await callsFor(healthy)).to.deep.equal(["release_time_locked"]);
  });

  it("whose release was reverted is retried later, but not if the order has changed", async () => {
    const { release } = await start();
    const [stays, moves] = [await locked(SHIPPED, NOW), await locked(SHIPPED, NOW)];
    await release();
    const reverted = (seconds: number) =>
      world.context.database.update(transaction).set({
        state: "final",
        succeeded: false,
        blockNumber: HEAD,
        updatedAt: sql`clock_timestamp() - ${seconds} * interval '1 second'`,
      });
    await reverted(4);
    await elapse(world.context);
    await release();
    expect(await callsFor(stays)).to.have.length(1);
    await world.chain.change(moves.orderId, HEAD, { status: AWAITING });
    await reverted(6);
    await elapse(world.context);
    await release();
    expect(await callsFor(stays)).to.have.length(2);
    expect(await callsFor(moves)).to.have.length(1);
  });
});

describe("a time lock whose release the node does not answer", () => {
  async function startHanging(count: number, hanging: number) {
    const salts: string[] = [];
    const started = await start(undefined, (data) => salts.some((salt) => data.includes(salt)));
    const made = [];
    for (let i = 0; i < count; i++) made.push(await locked(SHIPPED, NOW));
    const bad = made.slice(0, hanging);
    salts.push(...bad.map(({ terms }) => terms.salt.slice(2)));
    return { ...started, bad, good: made.slice(hanging) };
  }

  const itemsOf = (made: readonly TestIntent[]) =>
    world.context.database
      .select()
      .from(workItem)
      .where(
        and(
          eq(workItem.purpose, "release_time_locked"),
          inArray(
            workItem.orderId,
            made.map(({ orderId }) => orderId),
          ),
        ),
      );

  it("gets an attempt with a reason, and all others are released in the same run", async () => {
    const { release, bad, good } = await startHanging(5, 1);
    await release();
    for (const order of good) expect(await callsFor(order)).to.deep.equal(["release_time_locked"]);
    const [item] = await itemsOf(bad);
    expect(item).to.include({ attempts: 1 });
    expect(item?.lastError).to.match(/node did not answer this call/);
  });

  it("takes at most three timeouts per run, after orders that have not failed, and all have their turn", async () => {
    const { release, bad, asked } = await startHanging(6, 6);
    const attempts = async () => (await itemsOf(bad)).map((item) => item.attempts).sort();
    await release();
    expect(asked()).to.equal(3);
    expect(await attempts()).to.deep.equal([0, 0, 0, 1, 1, 1]);
    await elapse(world.context);
    await release();
    expect(await attempts()).to.deep.equal([1, 1, 1, 1, 1, 1]);
    const next = await locked(SHIPPED, NOW);
    await elapse(world.context);
    await release();
    expect(await callsFor(next)).to.deep.equal(["release_time_locked"]);
    expect(asked()).to.equal(3 + 3 + 1 + 3);
    expect(await attempts()).to.deep.equal([1, 1, 1, 2, 2, 2]);
    await elapse(world.context);
    await release();
    expect(await attempts()).to.deep.equal([2, 2, 2, 2, 2, 2]);
  });

  it("is not at fault if the node answers nothing, and the releases so far count", async () => {
    const { release, good, answers } = await startHanging(3, 0);
    const send = answers.eth_sendRawTransaction;
    answers.eth_sendRawTransaction = (params) => {
      Object.assign(answers, SILENT);
      return send?.(params);
    };
    await release();
    const released = new Set<string>();
    for (const order of good) if ((await callsFor(order)).length > 0) released.add(order.orderId);
    expect(released.size).to.equal(1);
    const items = await itemsOf(good);
    for (const item of items) expect(item).to.include({ attempts: 0, lastError: null });
    const dueOf = (isReleased: boolean) =>
      items.filter((item) => released.has(item.orderId) === isReleased).map(({ due }) => due);
    // The released order waits for its transaction, the others for the node.
    expect(Math.min(...dueOf(true)) - Math.max(...dueOf(false))).to.be.greaterThan(1_000);
  });
});

describe("a completed milestone", () => {
  const milestones = async (order: Partial<OrderRow>, ...completed: boolean[]) => {
    const made = await ordered({ releaseType: MILESTONE_LOCKED, autoReleaseOnProof: true, ...order });
    await world.context.database.insert(milestone).values(
      completed.map((done, milestoneIndex) => ({
        id: newId("milestone"),
        merchantId: sql`(select merchant_id from gateway.intent where id = ${sql.param(made.id, intent.id)})`,
        intentId: made.id,
        milestoneIndex,
        amount: 10n,
        completedAt: done ? new Date() : null,
      })),
    );
    return made;
  };

  it("whose release was lost is released in its order, once", async () => {
    const { releaseMilestones } = await start();
    const order = await milestones({}, true, true);
    await Promise.all([releaseMilestones(), working(world.context, "release_milestone")()]);
    await releaseMilestones();
    expect(await callsFor(order)).to.deep.equal(["release_milestone"]);
    const confirmed = { state: "final", succeeded: true, blockNumber: HEAD } as const;
    await world.context.database.update(transaction).set(confirmed);
    // The next transaction does not wait for the retry delay, because nothing failed.
    await world.chain.change(order.orderId, HEAD, { milestoneReleases: 1, released: 10n });
    await releaseMilestones();
    expect(await callsFor(order)).to.have.length(2);
    const [latest] = await world.context.database
      .select({ raw: transactionAttempt.raw })
      .from(transactionAttempt)
      .orderBy(desc(transactionAttempt.createdAt));
    const { data } = parseCall(latest?.raw ?? "0x");
    const { args } = decodeFunctionData({ abi: deliveryVsPaymentAbi, data });
    expect(args?.slice(1)).to.deep.equal([20n]);
  });

  it("is left to the payer or the oracle, and is not released after the delivery deadline", async () => {
    const { releaseMilestones } = await start();
    const waiting = [
      await milestones({}, false, true),
      await milestones({ autoReleaseOnProof: false }, true),
      await milestones({ deliveryOracle: PAYER }, true),
      await milestones({ deliveryDeadline: NOW }, true),
      await milestones({ status: DISPUTED }, true),
    ];
    await releaseMilestones();
    for (const order of waiting) expect(await callsFor(order)).to.deep.equal([]);
  });
});

describe("a dispute", () => {
  it("is closed once, a second after its deadline, but not earlier and not if it has been decided", async () => {
    const { endDisputes } = await start();
    const over = await ordered({ status: DISPUTED, disputeRaisedAt: 1, disputeDeadline: NOW - 1 });
    const running = await ordered({ status: DISPUTED, disputeRaisedAt: 1, disputeDeadline: NOW });
    const decided = await ordered({ status: AWAITING, disputeRaisedAt: 1, disputeDeadline: 2 });
    await Promise.all([endDisputes(), working(world.context, "resolve_expired_dispute")()]);
    await endDisputes();
    expect(await callsFor(over)).to.deep.equal(["resolve_expired_dispute"]);
    for (const left of [running, decided]) expect(await callsFor(left)).to.deep.equal([]);
  });

  it("waits while the indexer is not current", async () => {
    const { endDisputes } = await start();
    const over = await ordered({ status: DISPUTED, disputeRaisedAt: 1, disputeDeadline: 2 });
    await world.chain.ready(false);
    const outcome = await endDisputes().then(
      () => "done",
      () => "refused",
    );
    expect(outcome).to.equal("refused");
    expect(await callsFor(over)).to.deep.equal([]);
  });
});
