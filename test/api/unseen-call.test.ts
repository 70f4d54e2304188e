// Whether another operation on an order may be decided. It may not while a pending call can still change the order.
import { afterAll, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { and, eq, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { type Hex, pad, toHex } from "viem";
import { hasUnseenCall } from "#api/escrow/unseen.ts";
import { untilIndexed } from "#api/escrow/until-indexed.ts";
import * as chain from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import { transaction, transactionAttempt, transactionOrder } from "#core/db/schema/transactions.ts";
import { type IntentId, newId } from "#core/ids.ts";
import { until } from "#scripts/shared/wait.ts";
import type { TestIntent } from "../settlement/support/intents.ts";
import { makeWorld, OFF_RAMP, PAYER, type World } from "../settlement/support/world.ts";

const HEAD = { block: 20 };

let world: World;
let order: TestIntent;
let nonce = 0;
/** The node's response to a request for a receipt. */
let receipt: unknown = null;

beforeAll(async () => {
  world = await makeWorld({
    answers: {
      eth_getTransactionReceipt() {
        if (receipt instanceof Error) throw receipt;
        return receipt;
      },
    },
  });
});
afterAll(() => world?.close());
beforeEach(async () => {
  order = await world.addIntent();
  await world.chain.fund(order.orderId, order.terms, 1, PAYER);
});

type Change = Partial<typeof transaction.$inferInsert>;

const newHash = (): Hex => pad(toHex(++nonce), { size: 32 });

/** Adds a partial refund in block 10. @returns its hash, its id, and a function that changes its row */
async function refunded() {
  const { database, deployment } = world.context;
  const [id, hash] = [newId("tx"), newHash()];
  const key = { deploymentId: deployment.id, signer: OFF_RAMP, nonce, purpose: "refund" } as const;
  const mined = { state: "mined", succeeded: true, blockNumber: 10, minedHash: hash } as const;
  await database.insert(transaction).values({ id, ...key, ...mined });
  await database
    .insert(transactionOrder)
    .values({ transactionId: id, orderId: order.orderId, purpose: "refund" });
  const change = (to: Change) => database.update(transaction).set(to).where(eq(transaction.id, id));
  return { hash, id, change };
}

const isUnseen = () =>
  world.context.database.transaction((tx) => hasUnseenCall(tx, order.orderId, ["refund", "release"], HEAD));

/** Indexes the refund and a later change of the order. */
async function index(hash: Hex, number = 1) {
  const { database } = world.context;
  await world.chain.refund(order.orderId, 1n, 10, {}, number);
  await database
    .update(chain.refund)
    .set({ txHash: hash })
    .where(and(eq(chain.refund.orderId, order.orderId), eq(chain.refund.number, number)));
  await world.chain.change(order.orderId, 12, { operationTxHash: newHash() });
}

describe("an operation on an order waits for a partial refund", () => {
  it("until the indexer has indexed it", async () => {
    const { hash, change } = await refunded();
    await change({ state: "pending", succeeded: null, blockNumber: null, minedHash: null });
    expect(await isUnseen(), "it is pending").to.equal(true);
    await change({ state: "mined", succeeded: true, blockNumber: 21, minedHash: hash });
    expect(await isUnseen(), "its block is not indexed").to.equal(true);
    await change({ blockNumber: 10 });
    await index(hash);
    expect(await isUnseen()).to.equal(false);
  });

  it("that was reorged although the relayer considers it mined, because it will be sent again (seed 260865108)", async () => {
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

  it("that is indexed after the caller has read the order", async () => {
    const { hash } = await refunded();
    const { database, reader } = world.context;
    const isLate = await database.transaction(async (tx) => {
      const locked = await reader.findLocked(tx, order.id);
      await index(hash);
      return hasUnseenCall(tx, order.orderId, ["refund"], HEAD, locked?.order?.operationTxHash);
    });
    expect(isLate).to.equal(true);
  });

  /** @param change happens while the check waits for a lock on the table */
  async function isUnseenAfter(
    table: PgTable,
    operationTxHash: Hex,
    change: (tx: Transaction) => Promise<unknown>,
  ) {
    const { database } = world.context;
    let checking: Promise<boolean> | undefined;
    await database.transaction(async (locker) => {
      await locker.execute(sql`lock table ${table} in access exclusive mode`);
      checking = database.transaction((tx) =>
        hasUnseenCall(tx, order.orderId, ["refund"], HEAD, operationTxHash),
      );
      const isWaiting = async () => {
        const { rows } = await locker.execute(sql`
          select from pg_locks where not granted
            and database = (select oid from pg_database where datname = current_database())`);
        return rows.length > 0;
      };
      await until(isWaiting, { what: "The check waiting for the lock", timeoutMs: 10_000 });
      await change(locker);
    });
    return checking;
  }

  it("that is indexed while the calls are being read", async () => {
    const { hash } = await refunded();
    const operationTxHash = newHash();
    await world.chain.change(order.orderId, 1, { operationTxHash });
    expect(await isUnseenAfter(transaction, operationTxHash, () => index(hash))).to.equal(true);
  });

  it("that is indexed and reorged while the order and the calls are being read", async () => {
    const { hash } = await refunded();
    const operationTxHash = newHash();
    await index(hash);
    const reorg = async (tx: Transaction) => {
      await tx.delete(chain.refund).where(eq(chain.refund.orderId, order.orderId));
      await tx.update(chain.order).set({ operationTxHash }).where(eq(chain.order.id, order.orderId));
    };
    expect(await isUnseenAfter(chain.order, operationTxHash, reorg)).to.equal(true);
  });

  it("but not for one that the indexer has from a different attempt than the relayer has", async () => {
    const { id } = await refunded();
    const other = newHash();
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    await world.context.database
      .insert(transactionAttempt)
      .values({ hash: other, transactionId: id, raw: "0x02", ...fees });
    await index(other);
    expect(await isUnseen()).to.equal(false);
  });

  it("but not for an indexed one, or an indexed milestone release, although the relayer has not read its receipt", async () => {
    const { database } = world.context;
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    for (const purpose of ["refund", "release_milestone"] as const) {
      const { id, hash, change } = await refunded();
      await change({ purpose, state: "pending", succeeded: null, blockNumber: null, minedHash: null });
      await database.update(transactionOrder).set({ purpose }).where(eq(transactionOrder.transactionId, id));
      await database.insert(transactionAttempt).values({ hash, transactionId: id, raw: "0x02", ...fees });
      const isWaiting = () =>
        database.transaction((tx) => hasUnseenCall(tx, order.orderId, ["refund", "release_milestone"], HEAD));
      expect(await isWaiting(), purpose).to.equal(true);
      if (purpose === "refund") await index(hash);
      else {
        const released = { amount: 1n, released: 1n, actor: PAYER, releasedAt: 1, block: 10, txHash: hash };
        await database
          .insert(chain.milestoneRelease)
          .values({ orderId: order.orderId, number: 1, ...released });
      }
      // The payer has changed the order in the meantime.
      await world.chain.change(order.orderId, 12, { operationTxHash: newHash() });
      expect(await isWaiting(), purpose).to.equal(false);
    }
  });

  it("but not if several indexed refunds are known", async () => {
    for (const number of [1, 2, 3]) await index((await refunded()).hash, number);
    expect(await isUnseen()).to.equal(false);
  });

  it("but not for one that the contract rejected", async () => {
    const { change } = await refunded();
    await change({ succeeded: false });
    expect(await isUnseen()).to.equal(false);
  });
});

describe("an operation after which released funds are settled", () => {
  /** Relays an operation, which is indexed before the relayer reads its receipt. @returns its hash */
  async function relayed(): Promise<Hex> {
    const { id, hash, change } = await refunded();
    const { database } = world.context;
    await change({
      purpose: "release",
      state: "pending",
      succeeded: null,
      blockNumber: null,
      minedHash: null,
    });
    await database
      .update(transactionOrder)
      .set({ purpose: "release" })
      .where(eq(transactionOrder.transactionId, id));
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    await database.insert(transactionAttempt).values({ hash, transactionId: id, raw: "0x02", ...fees });
    return hash;
  }
  const settle = () => world.chain.change(order.orderId, 12, { updatedTxHash: newHash() });

  it("does not hold up the next one, although the relayer has not read its receipt", async () => {
    const operationTxHash = await relayed();
    await world.chain.change(order.orderId, 11, { operationTxHash, updatedTxHash: operationTxHash });
    const { database, reader } = world.context;
    const isLate = await database.transaction(async (tx) => {
      const locked = await reader.findLocked(tx, order.id);
      await settle();
      return hasUnseenCall(tx, order.orderId, ["release"], HEAD, locked?.order?.operationTxHash);
    });
    expect(isLate).to.equal(false);
  });
});

describe("the response of an operation waits", () => {
  type Happening = () => Promise<unknown>;

  /** The indexed block when an operation is created. */
  let start = 0;
  const indexTo = (after: number) => world.chain.head(start + after);

  const mineIn = (after: number, status = "0x1") => {
    receipt = { blockNumber: toHex(start + after), status, logs: [] };
  };
  const move = (hash: Hex) => world.chain.change(order.orderId, start, { operationTxHash: hash });

  /** @param happenings by the number of the read before which each happens @returns how often the order is read */
  async function readsUntilIndexed(hash: Hex, happenings: Record<number, Happening>): Promise<number> {
    const { reader, client } = world.context;
    const config = { ...world.context.config, chain: { ...world.context.config.chain, blockTime: 1 } };
    const before = await reader.find(order.id);
    if (!before) throw new Error("The intent does not exist.");
    let reads = 0;
    const find = async (id: IntentId) => {
      await happenings[++reads]?.();
      return reader.find(id);
    };
    await untilIndexed({ config, client, reader: { ...reader, find } }, before, hash);
    return reads;
  }

  beforeEach(async () => {
    receipt = null;
    start += 1_000;
    await indexTo(0);
  });

  it("until its call is indexed, although the settlement of an earlier release is", async () => {
    const hash = newHash();
    const reads = await readsUntilIndexed(hash, {
      1: async () => {
        await world.chain.change(order.orderId, start, { updatedTxHash: newHash() });
        await indexTo(90);
      },
      3: () => move(hash),
    });
    expect(reads).to.equal(3);
  });

  it("until its call is indexed, although the payer's own is", async () => {
    const reads = await readsUntilIndexed(newHash(), {
      1: async () => {
        await move(newHash());
        await indexTo(90);
      },
      3: async () => mineIn(92),
      4: () => indexTo(91),
      6: () => indexTo(92),
    });
    expect(reads).to.equal(6);
  });

  it("no longer than until the block of its failed call is indexed", async () => {
    mineIn(1, "0x0");
    expect(await readsUntilIndexed(newHash(), { 3: () => indexTo(3) })).to.equal(4);
  });

  it("and does not fail while the indexer is not current, because the operation is stored", async () => {
    const hash = newHash();
    const reads = await readsUntilIndexed(hash, {
      1: () => world.chain.ready(false),
      3: async () => {
        await move(hash);
        await world.chain.ready(true);
      },
    });
    expect(reads).to.equal(3);
  });

  it("but not for a node that does not respond, if its call is indexed", async () => {
    const hash = newHash();
    for (const silence of [new Error("The node is unreachable."), new Promise(() => undefined)]) {
      receipt = silence;
      await move(newHash());
      const reads = await readsUntilIndexed(hash, { 1: () => indexTo(90), 3: () => move(hash) });
      expect(reads).to.equal(3);
      start += 100;
    }
  });
});
