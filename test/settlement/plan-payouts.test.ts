import { afterEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Hex, numberToHex } from "viem";
import * as chain from "#core/db/chain.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { workItem } from "#core/db/schema/work.ts";
import { PAYOUT_QUEUE, type PayoutJob } from "#settlement/payouts/payout-queue.ts";
import { createPayoutPlanner } from "#settlement/payouts/plan-payouts.ts";
import { blockHash, timeOf } from "./support/chain-tables.ts";
import { noAnswer, settlementReceipt } from "./support/fake-rpc.ts";
import type { TestIntent } from "./support/intents.ts";
import { elapse, tracking, working } from "./support/work.ts";
import { CONTRACT, MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
/** The settled order. */
let made: TestIntent;
afterEach(() => world.close());

const SETTLED_IN = 10;
type Receipt = ReturnType<typeof settlementReceipt>;

/** Settles an order in block 10. The indexer and the chain are at the given blocks. */
async function settledOnce(options: {
  head?: number;
  tip?: number;
  lie?: (receipt: Receipt) => unknown;
  milestones?: bigint[];
  receipts?: Map<Hex, Receipt>;
  /** Called with each request, which fails if it throws. */
  onReceipt?: (hash: Hex) => void;
  onTip?: () => void;
}): Promise<() => Promise<void>> {
  const { receipts = new Map<Hex, Receipt>() } = options;
  world = await makeWorld({
    answers: {
      eth_blockNumber: () => {
        options.onTip?.();
        return numberToHex(options.tip ?? 14);
      },
      eth_getTransactionReceipt: ([hash]) => {
        options.onReceipt?.(hash as Hex);
        const receipt = receipts.get(hash as Hex);
        return receipt && options.lie ? options.lie(receipt) : (receipt ?? null);
      },
    },
  });
  made = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
  const { orderId, terms } = made;
  await world.chain.fund(orderId, terms, 1, PAYER);
  await world.chain.settle(orderId, terms, SETTLED_IN);
  let released = 0n;
  for (const [index, amount] of (options.milestones ?? []).entries()) {
    released += amount;
    await world.chain.releaseMilestone(orderId, index + 1, amount, released, SETTLED_IN - 1);
  }
  await world.chain.head(options.head ?? 14);
  await addReceipts(receipts);
  return working(world.context, "plan_payouts");
}

async function addReceipts(receipts: Map<Hex, Receipt>): Promise<void> {
  for (const row of await world.context.database.select().from(chain.settlement)) {
    receipts.set(row.txHash, settlementReceipt({ ...row, contract: CONTRACT }));
  }
}

const planned = () => world.context.database.select().from(payout);

describe("a payout is planned", () => {
  it("with its job, once the settlement is confirmed and the chain verifies it", async () => {
    const plan = await settledOnce({});
    await plan();
    const [row, ...others] = await planned();
    expect(others).to.have.length(0);
    expect(row).to.include({
      attempt: 1,
      state: "created",
      amount: 100_000_000n,
      destination: "bank_account_123",
    });
    const jobs = await world.context.boss.findJobs(PAYOUT_QUEUE, { data: { payoutIds: [row?.id] } });
    expect(jobs).to.have.length(1);
  });

  it("although the node does not return the receipt of another settlement, which is retried alone", async () => {
    let hanging: Hex | undefined;
    const receipts = new Map<Hex, Receipt>();
    const plan = await settledOnce({
      receipts,
      onReceipt: (hash) => {
        if (hash === hanging) noAnswer();
      },
    });
    const [{ txHash } = { txHash: undefined }] = await world.context.database.select().from(chain.settlement);
    hanging = txHash;
    const other = await world.addIntent({ lastEmittedStatus: "SUCCEEDED" });
    await world.chain.fund(other.orderId, other.terms, 1, PAYER);
    await world.chain.settle(other.orderId, other.terms, SETTLED_IN);
    await addReceipts(receipts);
    await plan();
    expect((await planned()).map(({ intentId }) => intentId)).to.deep.equal([other.id]);
    const items = await world.context.database.select().from(workItem);
    const left = items.find(({ orderId, purpose }) => orderId === made.orderId && purpose === "plan_payouts");
    expect(left).to.include({ attempts: 1 });
    expect(left?.lastError).to.include("did not return the settlement's receipt");
    hanging = undefined;
    await elapse(world.context);
    await plan();
    expect(await planned()).to.have.length(2);
  });

  it("by no attempt while the node does not respond at all", async () => {
    let silent = true;
    const plan = await settledOnce({
      onReceipt: () => {
        if (silent) noAnswer();
      },
      onTip: () => {
        if (silent) noAnswer();
      },
    });
    await plan();
    const [item] = await world.context.database
      .select()
      .from(workItem)
      .where(eq(workItem.purpose, "plan_payouts"));
    expect(item).to.include({ attempts: 0, lastError: null });
    silent = false;
    await elapse(world.context);
    await plan();
    expect(await planned()).to.have.length(1);
  });

  it("for each milestone separately, although the contract settled them together", async () => {
    const plan = await settledOnce({ milestones: [20_000_000n, 30_000_000n, 50_000_000n] });
    await Promise.all([plan(), working(world.context, "plan_payouts")()]);
    const rows = (await planned()).sort((a, b) => a.part - b.part);
    expect(rows.map(({ part, amount }) => [part, amount])).to.deep.equal([
      [0, 20_000_000n],
      [1, 30_000_000n],
      [2, 50_000_000n],
    ]);
    expect(new Set(rows.map(({ reference }) => reference)).size).to.equal(3);
    const jobs = await world.context.boss.findJobs<PayoutJob>(PAYOUT_QUEUE);
    expect(jobs.flatMap((job) => job.data.payoutIds).sort()).to.deep.equal(rows.map(({ id }) => id).sort());
  });

  it("for each of 45 milestones, which several statements insert, by two replicas", async () => {
    const milestones = [...Array.from({ length: 44 }, () => 2_000_000n), 12_000_000n];
    const plan = await settledOnce({ milestones });
    await Promise.all([plan(), working(world.context, "plan_payouts")()]);
    const rows = await planned();
    expect(rows.map(({ part }) => part).sort((a, b) => a - b)).to.deep.equal(milestones.map((_, i) => i));
    expect(rows.reduce((sum, { amount }) => sum + amount, 0n)).to.equal(100_000_000n);
    const jobs = await world.context.boss.findJobs<PayoutJob>(PAYOUT_QUEUE);
    expect(jobs.flatMap((job) => job.data.payoutIds).sort()).to.deep.equal(rows.map(({ id }) => id).sort());
  });

  it("once, however many replicas plan at the same time", async () => {
    const plan = await settledOnce({});
    const others = Array.from({ length: 5 }, () => working(world.context, "plan_payouts"));
    await Promise.all([plan(), ...others.map((other) => other())]);
    await plan();
    expect(await planned()).to.have.length(1);
    expect(await world.context.boss.findJobs(PAYOUT_QUEUE)).to.have.length(1);
  });
});

describe("a reorg after a completed payout", () => {
  /** Funds and settles the same order in other blocks and by other transactions. */
  async function minedAgain(receipts: Map<Hex, Receipt>): Promise<void> {
    await world.chain.fund(made.orderId, made.terms, 15, PAYER, 1);
    await world.chain.settle(made.orderId, made.terms, 16, 1);
    await world.chain.head(20);
    await addReceipts(receipts);
  }

  it("pays nothing twice when the order is funded and settled again in other transactions", async () => {
    const receipts = new Map<Hex, Receipt>();
    const plan = await settledOnce({ tip: 20, receipts });
    await plan();
    const [first] = await planned();
    const { database, boss } = world.context;
    const done = { state: "completed", completedAt: new Date(), nextAttemptAt: null } as const;
    await database.update(payout).set(done);

    await world.chain.removeOrder(made.orderId);
    await plan();
    await minedAgain(receipts);
    await plan();
    const item = { orderId: made.orderId, merchantId: MERCHANT, purpose: "plan_payouts" } as const;
    const head = { block: 20, timestamp: timeOf(20) };
    await createPayoutPlanner(world.context).handle([{ ...item, revision: 0, attempts: 0 }], head);

    expect(await planned()).to.deep.equal([{ ...first, ...done }]);
    expect(await boss.findJobs(PAYOUT_QUEUE)).to.have.length(1);
  });
});

async function leftItem() {
  const { database } = world.context;
  const [item] = await database.select().from(workItem).where(eq(workItem.purpose, "plan_payouts"));
  return item;
}

describe("a settlement is retried", () => {
  it("with increasing delays if its receipt does not confirm it", async () => {
    const plan = await settledOnce({ lie: () => null });
    await plan();
    const waitsMs: number[] = [];
    for (let attempts = 1; attempts <= 3; attempts++) {
      const item = await leftItem();
      expect(item).to.include({
        clock: "wall",
        attempts,
        lastError: "the settlement's transaction is not on chain",
      });
      waitsMs.push((item?.due ?? 0) - Date.now());
      await elapse(world.context);
      await tracking(world.context, "plan_payouts")();
    }
    const [first = 0, second = 0, third = 0] = waitsMs;
    expect(second).to.be.above(first);
    expect(third).to.be.above(second);
  });

  it("with the next block, without an error, while it is unconfirmed", async () => {
    const plan = await settledOnce({ head: 14, tip: 13 });
    await plan();
    expect(await leftItem()).to.include({ clock: "block", due: 15, attempts: 0, lastError: null });
  });
});

describe("no payout is planned", () => {
  const refused = async (options: Parameters<typeof settledOnce>[0]) => {
    const plan = await settledOnce(options);
    await plan();
    expect(await planned()).to.have.length(0);
  };

  it("while the indexer does not see the settlement confirmed", () => refused({ head: 13, tip: 20 }));
  it("while the chain itself has not confirmed it", () => refused({ head: 14, tip: 13 }));
  it("if the chain does not know the transaction", () => refused({ lie: () => null }));
  it("when the transaction was reverted", () =>
    refused({ lie: (receipt) => ({ ...receipt, status: "0x0" }) }));
  it("when the transaction is in a different block", () =>
    refused({ lie: (receipt) => ({ ...receipt, blockHash: blockHash(SETTLED_IN, 1) }) }));
  it("when the transaction did not settle the order", () =>
    refused({ lie: (receipt) => ({ ...receipt, logs: [] }) }));
  it("when it settled a different amount", () =>
    refused({
      lie: (receipt) => ({
        ...receipt,
        logs: receipt.logs.map((log) => ({ ...log, data: numberToHex(99_999_999n, { size: 32 }) })),
      }),
    }));
  it("when a different contract emitted the event", () =>
    refused({
      lie: (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, address: PAYER })) }),
    }));
});
