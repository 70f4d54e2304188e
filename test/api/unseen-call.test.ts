// Whether another operation on an order may be decided: not while one of its calls may still change it.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Hex, pad, toHex } from "viem";
import { hasUnseenCall } from "#api/escrow/unseen.ts";
import * as chain from "#core/db/chain.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { newId } from "#core/ids.ts";
import type { TestIntent } from "../settlement/support/intents.ts";
import { makeWorld, OFF_RAMP, PAYER, type World } from "../settlement/support/world.ts";
import { testDatabase } from "../support/stack.ts";

const HEAD = { block: 20 };

let world: World;
let order: TestIntent;
let nonce = 0;

beforeAll(async () => {
  world = await makeWorld(await testDatabase());
});
afterAll(() => world?.close());
beforeEach(async () => {
  order = await world.addIntent();
  await world.chain.fund(order.orderId, order.terms, 1, PAYER);
});

type Change = Partial<typeof transaction.$inferInsert>;

/** A refund of a part that is in block 10. @returns its hash, and how its row changes */
async function refunded() {
  const { database, deployment } = world.context;
  const [id, hash] = [newId("tx"), pad(toHex(++nonce), { size: 32 }) as Hex];
  const key = { deploymentId: deployment.id, signer: OFF_RAMP, nonce, purpose: "refund" } as const;
  const mined = { state: "mined", succeeded: true, blockNumber: 10, minedHash: hash } as const;
  await database.insert(transaction).values({ id, ...key, ...mined });
  await database
    .insert(transactionOrder)
    .values({ transactionId: id, orderId: order.orderId, purpose: "refund" });
  const change = (to: Change) => database.update(transaction).set(to).where(eq(transaction.id, id));
  return { hash, change };
}

const isUnseen = () =>
  world.context.database.transaction((tx) => hasUnseenCall(tx, order.orderId, ["refund", "release"], HEAD));

/** The indexer has the refund, and after it another change of the order. */
async function index(hash: Hex) {
  const { database } = world.context;
  await world.chain.refund(order.orderId, 1n, 10);
  await database.update(chain.refund).set({ txHash: hash }).where(eq(chain.refund.orderId, order.orderId));
}

describe("an operation on an order waits for a refund of a part", () => {
  it("until the indexer has it", async () => {
    const { hash, change } = await refunded();
    await change({ state: "pending", succeeded: null, blockNumber: null, minedHash: null });
    expect(await isUnseen(), "it is pending").to.equal(true);
    await change({ state: "mined", succeeded: true, blockNumber: 21, minedHash: hash });
    expect(await isUnseen(), "its block is not indexed").to.equal(true);
    await change({ blockNumber: 10 });
    await index(hash);
    expect(await isUnseen()).to.equal(false);
  });

  it("that a reorg has taken back, and that the relayer takes for mined: it is sent again (seed 260865108)", async () => {
    const { hash, change } = await refunded();
    await index(hash);
    const { database } = world.context;
    await database.delete(chain.refund).where(eq(chain.refund.orderId, order.orderId));
    for (const state of ["mined", "final"] as const) {
      await change({ state });
      expect(await isUnseen(), state).to.equal(true);
    }
    await change({ state: "dropped" });
    expect(await isUnseen(), "its nonce was used by another").to.equal(false);
  });

  it("and for none that the contract refused", async () => {
    const { change } = await refunded();
    await change({ succeeded: false });
    expect(await isUnseen()).to.equal(false);
  });
});
