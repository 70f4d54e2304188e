// An item with nothing due is handled once, in every state of the order. Its worker does not request it again until
// something changes. Items with a due time wait for that time, not for the next block.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { expect } from "chai";
import { eq, sql } from "drizzle-orm";
import type { OrderRow } from "#core/db/chain.ts";
import { event } from "#core/db/schema/events.ts";
import { WORK_PURPOSES, type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { Problems } from "#settlement/runtime/problems.ts";
import { createScan } from "#settlement/runtime/scan-orders.ts";
import { WorkLoop } from "#settlement/runtime/work-loop.ts";
import { createWorkHandlers } from "#settlement/work-handlers.ts";
import type { TestIntent } from "./support/intents.ts";
import { elapse } from "./support/work.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

const HEAD = 100;
/** Far later than any time on the test chain. */
const FAR = 2_000_000_000;
const AMOUNT = 100_000_000n;
const [SHIPPED, AWAITING, COMPLETED, CANCELLED, DISPUTED] = [1, 3, 4, 5, 6];
const STRANGER = "0x00000000000000000000000000000000000000aa";

type State = {
  intent?: Parameters<World["addIntent"]>[0];
  /** If absent, the order is not on chain. */
  order?: Partial<OrderRow>;
};

const canceled = { canceledAt: new Date(), lastEmittedStatus: "CANCELED" } as const;

/** Payments for which no work is due, now or in the next block. */
const STATES: Record<string, State> = {
  unfunded: {},
  funded: { order: {} },
  locked: { order: { releaseType: 1, status: SHIPPED, timeLockUntil: FAR } },
  disputed: { order: { status: DISPUTED, disputeSide: 0, disputeActor: PAYER, disputeDeadline: FAR } },
  "with milestones": { order: { releaseType: 2 } },
  withdrawn: { order: { status: COMPLETED, released: AMOUNT, withdrawn: AMOUNT } },
  "for another operator": { order: { status: AWAITING, released: AMOUNT, operator: STRANGER } },
  "canceled, never funded": { intent: canceled },
  "canceled, returned": { intent: canceled, order: { status: CANCELLED, refunded: AMOUNT } },
  "canceled, proven": { intent: canceled, order: { proven: true } },
  "canceled, released": { intent: canceled, order: { status: AWAITING, released: AMOUNT } },
  "canceled, for another operator": { intent: canceled, order: { operator: STRANGER } },
  "canceled, withdrawn before that was emitted": {
    intent: { ...canceled, lastEmittedStatus: "FINAL" },
    order: { status: COMPLETED, released: AMOUNT, withdrawn: AMOUNT },
  },
};

let world: World;
let made: Map<string, TestIntent>;
let loop: WorkLoop;

async function add({ intent, order }: State): Promise<TestIntent> {
  const one = await world.addIntent(intent);
  if (!order) return one;
  await world.chain.fund(one.orderId, one.terms, 1, PAYER);
  await world.chain.change(one.orderId, 2, order);
  return one;
}

/** @returns the number of items handled until none was due */
async function workUntilIdle(): Promise<number> {
  let handled = 0;
  for (let passes = 0; passes < 20; passes++) {
    const count = await loop.run();
    await loop.settled();
    if (count === 0) return handled;
    handled += count;
  }
  throw new Error("Work is due without end.");
}

beforeAll(async () => {
  world = await makeWorld();
  const { context } = world;
  await world.chain.head(HEAD);
  made = new Map();
  for (const [name, state] of Object.entries(STATES)) made.set(name, await add(state));
  loop = new WorkLoop(context, createWorkHandlers(context), new Problems(context.log), () => undefined);
  // Handles everything that the blocks and new rows have made due, including retries.
  await workUntilIdle();
  await elapse(context);
  await workUntilIdle();
});
afterAll(() => world?.close());

/** Schedules work with this purpose for every payment, independent of on-chain facts. */
const schedule = (purpose: WorkPurpose) =>
  scheduleWork(
    world.context.database,
    world.context.deployment.id,
    [...made.values()].map(({ orderId }) => ({ orderId, merchantId: MERCHANT, purpose, ...NOW })),
  );

describe("work for which nothing is due", () => {
  it.each(WORK_PURPOSES.map((purpose) => [purpose]))("of purpose %s is handled once", async (purpose) => {
    await schedule(purpose);
    expect(await workUntilIdle()).to.be.at.least(made.size);
    const head = HEAD + 10 * (1 + WORK_PURPOSES.indexOf(purpose));
    for (let block = head; block < head + 5; block++) {
      await world.chain.head(block);
      expect(await loop.run(), `in block ${block}`).to.equal(0);
    }
  });

  it("leaves no item that waits for a block or a retry", async () => {
    await createScan(world.context)();
    await workUntilIdle();
    const waiting = await world.context.database
      .select({ orderId: workItem.orderId, purpose: workItem.purpose, clock: workItem.clock })
      .from(workItem)
      .where(sql`${workItem.clock} <> 'time'`);
    expect(waiting).to.deep.equal([]);
  });

  it("emits late funding once for each canceled payment that was funded", async () => {
    const rows = await world.context.database
      .select({ intentId: event.intentId })
      .from(event)
      .where(eq(event.type, "payment_intent.late_funding"));
    const names = [...made].filter(([, { id }]) => rows.some(({ intentId }) => intentId === id));
    expect(rows).to.have.length(names.length);
    expect(names.map(([name]) => name).sort()).to.deep.equal([
      "canceled, for another operator",
      "canceled, proven",
      "canceled, released",
      "canceled, returned",
    ]);
  });
});
