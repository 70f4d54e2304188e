// Released funds that cannot be paid out by bank transfer are not settled. The payee must withdraw them, and merchant
// and payee are informed.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq } from "drizzle-orm";
import { event } from "#core/db/schema/events.ts";
import { transactionOrder } from "#core/db/schema/transactions.ts";
import { workItem } from "#core/db/schema/work.ts";
import { findWithdrawal } from "#core/intent/find-withdrawal.ts";
import { relayingChain } from "./support/fake-rpc.ts";
import { createFullObserver } from "./support/full-observer.ts";
import type { TestIntent } from "./support/intents.ts";
import { elapse, working } from "./support/work.ts";
import { makeWorld, PAYER, type World } from "./support/world.ts";

let world: World;
let settle: () => Promise<unknown>;
let observe: () => Promise<void>;
let block = 10;

beforeAll(async () => {
  world = await makeWorld({ answers: relayingChain(() => false) });
  settle = working(world.context, "settle");
  observe = createFullObserver(world.context);
});
afterAll(() => world.close());

/** Adds a confirmed order of 100 of which this many millionths are released. */
async function releasedOf(released: bigint, settlementMethod: "OFF_RAMP_TO_BANK" | "OFF_RAMP_MOCK") {
  const made = await world.addIntent({ settlementMethod });
  await world.chain.fund(made.orderId, made.terms, block, PAYER);
  return release(made, released);
}

async function release(made: TestIntent, released: bigint): Promise<TestIntent> {
  await world.chain.change(made.orderId, block + 1, { status: 3, released });
  block += 10;
  await world.chain.head(block);
  return made;
}

const isSettling = async ({ orderId }: TestIntent) =>
  (await world.context.database.$count(transactionOrder, eq(transactionOrder.orderId, orderId))) > 0;

async function eventsOf({ id }: TestIntent) {
  const type = "conditional_payment.withdrawal_required";
  const rows = await world.context.database
    .select()
    .from(event)
    .where(and(eq(event.intentId, id), eq(event.type, type)));
  return rows.map(({ data }) => (data.object as { withdrawal?: unknown }).withdrawal);
}

const REASON = "OFF_RAMP_TO_BANK supports at least 1.00 USDC, in steps of 0.01";

describe("a release that the settlement method does not support", () => {
  it.each([
    ["an arbiter's split into thirds", 33_333_333n, "33.333333"],
    ["a milestone below the minimum", 990_000n, "0.99"],
  ])("is not settled, remains to be withdrawn, and is reported once: %s", async (_, released, amount) => {
    const made = await releasedOf(released, "OFF_RAMP_TO_BANK");
    await settle();
    await observe();
    await elapse(world.context);
    await settle();
    await observe();
    expect(await isSettling(made)).to.equal(false);
    expect(await eventsOf(made)).to.deep.equal([{ amount, reason: REASON }]);
    const { database } = world.context;
    const [item] = await database
      .select()
      .from(workItem)
      .where(and(eq(workItem.orderId, made.orderId), eq(workItem.purpose, "settle")));
    expect(item).to.include({ attempts: 0, lastError: null, clock: "wall" });
  });

  it("is settled when a later release makes the sum payable", async () => {
    const made = await releasedOf(33_333_333n, "OFF_RAMP_TO_BANK");
    await settle();
    expect(await isSettling(made)).to.equal(false);
    await release(made, 100_000_000n);
    await elapse(world.context);
    await settle();
    expect(await isSettling(made)).to.equal(true);
  });

  it("is settled with a method that supports any amount", async () => {
    const made = await releasedOf(33_333_333n, "OFF_RAMP_MOCK");
    await settle();
    await observe();
    expect(await isSettling(made)).to.equal(true);
    expect(await eventsOf(made)).to.deep.equal([]);
  });
});

it("withdrawn or settled funds are not left to withdraw", () => {
  const { config } = world.context;
  const intent = { settlementMethod: "OFF_RAMP_TO_BANK", currency: "USDC" } as const;
  const order = { released: 5n, settled: 0n, withdrawn: 0n };
  expect(findWithdrawal(config, intent, order)?.amount).to.equal(5n);
  expect(findWithdrawal(config, intent, { ...order, withdrawn: 5n })).to.equal(undefined);
  expect(findWithdrawal(config, intent, { ...order, settled: 5n })).to.equal(undefined);
  expect(findWithdrawal(config, intent, null)).to.equal(undefined);
});
