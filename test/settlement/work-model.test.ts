// Blocks, reorgs, restarts and two trackers in random order. In the end, the work items are exactly those that the
// on-chain facts make due.
import { afterEach, it } from "bun:test";
import { randomInt } from "node:crypto";
import { expect } from "chai";
import { asc, ne } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { trackedOrder, workItem } from "#core/db/schema/work.ts";
import type { OrderId } from "#core/ids.ts";
import { deriveWork } from "#settlement/runtime/derive-work.ts";
import { buildRules } from "#settlement/runtime/order-facts.ts";
import { createTracker } from "#settlement/runtime/track-orders.ts";
import { Random } from "#test/faults/random.ts";
import { blockHash } from "./support/chain-tables.ts";
import type { TestIntent } from "./support/intents.ts";
import { MERCHANT, makeWorld, PAYER, type World } from "./support/world.ts";

const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const STEPS = 150;
const DEEPEST = 30;

let world: World;
afterEach(() => world.close());

it(`follows every block and reorg with any number of trackers (FUZZ_SEED=${SEED})`, async () => {
  world = await makeWorld();
  const { context } = world;
  const { database } = context;
  const random = new Random(SEED);
  const made: TestIntent[] = [];
  let trackers = [createTracker(context), createTracker(context)];
  let head = 40;
  let fork = 0;

  /** Draws one of the relevant states: nothing due, released, locked or disputed. */
  const drawChange = ({ terms }: TestIntent) =>
    random.one([
      { status: 1, released: 0n },
      { status: 3, released: terms.amount },
      { status: 1, releaseType: 1, timeLockUntil: 1_700_000_000 + random.integer(0, 999), released: 0n },
      { status: 6, disputeDeadline: 1_700_000_000 + random.integer(0, 999), released: 0n },
    ]);

  async function mine(): Promise<void> {
    head++;
    const one = await world.addIntent();
    made.push(one);
    await world.chain.fund(one.orderId, one.terms, head, PAYER, fork);
    const other = random.one(made);
    const change = { ...drawChange(other), updatedBlockHash: blockHash(head, fork) };
    await world.chain.change(other.orderId, head, change);
    await world.chain.head(head);
  }

  /** Replaces every block above the fork. Some of their changes are repeated, and others are not. */
  async function reorg(): Promise<void> {
    const from = head - random.integer(0, DEEPEST - 1);
    fork++;
    for (const order of await database.select().from(chain.order)) {
      if (order.updatedBlock <= from) continue;
      const one = made.find(({ orderId }) => orderId === order.id);
      if (!one) throw new Error("An order that nobody made.");
      if (order.createdBlock > from && random.integer(0, 1) === 0) {
        await world.chain.removeOrder(one.orderId);
        continue;
      }
      const block = Math.max(from + 1, Math.min(head, order.updatedBlock + random.integer(0, 2) - 1));
      const again = { ...drawChange(one), updatedBlockHash: blockHash(block, fork) };
      const createdBlock = Math.min(order.createdBlock, block);
      await world.chain.change(one.orderId, block, { ...again, createdBlock });
    }
    head++;
    await database.update(deployment).set({ highWaterBlock: 0 });
    await world.chain.head(head);
  }

  for (let step = 0; step < STEPS; step++) {
    const drawn = random.integer(0, 9);
    if (drawn < 4) await mine();
    else if (drawn < 5) await reorg();
    else if (drawn < 6) trackers = [createTracker(context), random.one(trackers)];
    else if (drawn < 7) await Promise.all(trackers.map((track) => track()));
    else await random.one(trackers)();
  }
  // Continues until one of the trackers reads everything again.
  for (let round = 0; round < 2; round++) {
    head += 40;
    await world.chain.head(head);
    for (const track of trackers) await track();
  }

  const orders = await database.select().from(chain.order).orderBy(asc(chain.order.id));
  const tracked = await database.select().from(trackedOrder).orderBy(asc(trackedOrder.orderId));
  expect(tracked.map(({ orderId, blockHash: hash }) => [orderId, hash])).to.deep.equal(
    orders.map(({ id, updatedBlockHash }) => [id, updatedBlockHash]),
  );
  const due = orders.flatMap((order) => {
    const id = order.id as OrderId;
    const about = {
      orderId: id,
      merchantId: MERCHANT,
      canceled: false,
      plannedAmount: 0n,
      completedAmount: 0n,
    };
    return deriveWork({ ...about, order }, buildRules(context)).filter(
      ({ purpose }) => purpose !== "observe",
    );
  });
  const items = await database.select().from(workItem).where(ne(workItem.purpose, "observe"));
  const inWords = (work: { orderId: OrderId; purpose: string; clock: string; due: number }[]) =>
    work.map(({ orderId, purpose, clock, due: at }) => `${orderId} ${purpose} ${clock} ${at}`).sort();
  expect(inWords(items)).to.deep.equal(inWords(due));
  expect(due).not.to.deep.equal([]);
});
