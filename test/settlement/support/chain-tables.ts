// The indexer's views that tests need, as plain tables, so that a test can define them block by block.
import { eq, sql } from "drizzle-orm";
import { getTableConfig, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import { type Address, type Hex, keccak256, toHex, zeroAddress } from "viem";
import type { Terms } from "#core/chain/terms.ts";
import * as chain from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import type { OrderId } from "#core/ids.ts";

export const CHAIN_ID = 31337;
export const BUILD = "a_build_for_tests";

const TABLES: PgTable[] = [
  chain.ponderMeta,
  chain.ponderCheckpoint,
  chain.indexerBuild,
  chain.order,
  chain.settlement,
  chain.withdrawal,
  chain.settlementSkip,
  chain.credit,
  chain.chainDeliveryProof,
  chain.milestoneRelease,
  chain.dispute,
  chain.refund,
];

type OrderRow = typeof chain.order.$inferSelect;

/** Returns the hash of a block. `fork` distinguishes two blocks with the same number. */
export const blockHash = (block: number, fork = 0): Hex => keccak256(toHex(`block ${block} fork ${fork}`));

/** Returns the hash of the transaction that settled an order. `fork` is its block's fork. */
export const settlementTxHash = (id: OrderId, fork = 0): Hex => keccak256(toHex(`settlement ${id} ${fork}`));

/** Returns the timestamp of a block, in Unix seconds. */
export const timeOf = (block: number): number => 1_700_000_000 + block;

const checkpointAt = (block: number, time = timeOf(block)): string =>
  `${String(time).padStart(10, "0")}${String(CHAIN_ID).padStart(16, "0")}${String(block).padStart(16, "0")}`.padEnd(
    75,
    "0",
  );

function createStatement(table: PgTable): string {
  const { name, schema, columns, primaryKeys } = getTableConfig(table);
  const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const nameOf = (column: PgColumn) => `"${column.keyAsName ? snake(column.name) : column.name}"`;
  const lines = [
    ...columns.map(
      (column) => `${nameOf(column)} ${column.getSQLType()}${column.primary ? " primary key" : ""}`,
    ),
    ...primaryKeys.map((key) => `primary key (${key.columns.map(nameOf).join(", ")})`),
  ];
  return `create table if not exists "${schema}"."${name}" (${lines.join(", ")})`;
}

export class ChainTables {
  constructor(private readonly database: Database) {}

  /** Creates the tables unless an earlier world has, and adds a ready indexer at block 0. */
  async create(): Promise<void> {
    const statements = [`create schema if not exists ${chain.CHAIN_SCHEMA}`, ...TABLES.map(createStatement)];
    await this.database.execute(sql.raw(statements.join(";\n")));
    await this.database.insert(chain.ponderMeta).values({ key: "app", value: { is_ready: 1 } });
    await this.database.insert(chain.indexerBuild).values({ id: "indexer", build: BUILD });
    await this.database
      .insert(chain.ponderCheckpoint)
      .values({ chainName: "main", chainId: CHAIN_ID, latestCheckpoint: checkpointAt(0) });
  }

  /** Moves the indexer to this block, and notifies readers. @param time the block's Unix time in seconds */
  async head(block: number, time = timeOf(block)): Promise<void> {
    await this.database.update(chain.ponderCheckpoint).set({ latestCheckpoint: checkpointAt(block, time) });
    await this.database.execute(sql.raw(`notify "${chain.BLOCK_CHANNEL}"`));
  }

  async ready(isReady: boolean): Promise<void> {
    await this.database.update(chain.ponderMeta).set({ value: { is_ready: isReady ? 1 : 0 } });
  }

  async fund(id: OrderId, terms: Terms, block: number, payer: Address, fork = 0): Promise<void> {
    const at = { block, hash: blockHash(block, fork), tx: keccak256(toHex(`funding ${id} ${fork}`)) };
    await this.database.insert(chain.order).values({
      ...terms,
      id,
      payer,
      boundPayer: terms.payer,
      status: 0,
      deliveryDeadline: 2_000_000_000,
      proven: false,
      proofs: 0,
      milestoneReleases: 0,
      refunds: 0,
      disputedByPayer: false,
      disputedByMerchant: false,
      settlements: 0,
      withdrawals: 0,
      released: 0n,
      settled: 0n,
      withdrawn: 0n,
      refunded: 0n,
      createTxHash: at.tx,
      createdAt: timeOf(block),
      createdBlock: block,
      createdBlockHash: at.hash,
      updatedAt: timeOf(block),
      updatedBlock: block,
      updatedBlockHash: at.hash,
      updatedTxHash: at.tx,
      operationTxHash: at.tx,
    });
  }

  async change(id: OrderId, block: number, to: Partial<OrderRow>): Promise<void> {
    await this.database
      .update(chain.order)
      .set({ updatedBlock: block, updatedBlockHash: blockHash(block), ...to })
      .where(eq(chain.order.id, id));
  }

  /** Releases and settles an order in one block. The full amount is then at the off-ramp. */
  settle(id: OrderId, terms: Terms, block: number, fork = 0): Promise<void> {
    return this.settleAll(
      id,
      terms,
      [{ block, amount: terms.amount, txHash: settlementTxHash(id, fork) }],
      fork,
    );
  }

  /** Releases an order, and replaces its settlements. The last one is the order's latest change. */
  async settleAll(
    id: OrderId,
    { amount: released, offRamp }: Terms,
    settlements: readonly { block: number; amount: bigint; txHash: Hex }[],
    fork = 0,
  ): Promise<void> {
    const block = Math.max(...settlements.map((one) => one.block));
    const settled = settlements.reduce((sum, { amount }) => sum + amount, 0n);
    const to = { status: 4, released, settled, settlements: settlements.length };
    await this.change(id, block, { ...to, updatedBlockHash: blockHash(block, fork) });
    await this.database.delete(chain.settlement).where(eq(chain.settlement.orderId, id));
    await this.database.insert(chain.settlement).values(
      settlements.map((one, index) => ({
        ...one,
        orderId: id,
        number: index + 1,
        offRamp,
        settledAt: timeOf(one.block),
        blockHash: blockHash(one.block, fork),
      })),
    );
  }

  /**
   * @param amount the refund's amount, which becomes the order's refunded total unless `to` contains another
   * @param number the refund's number within the order
   */
  async refund(
    id: OrderId,
    amount: bigint,
    block: number,
    to: Partial<OrderRow> = {},
    number = 1,
  ): Promise<void> {
    await this.change(id, block, { refunded: amount, refunds: number, ...to });
    await this.database.insert(chain.refund).values({
      orderId: id,
      number,
      amount,
      cause: 4,
      actor: zeroAddress,
      refundedAt: timeOf(block),
      block,
      txHash: keccak256(toHex(`refund ${id} ${number}`)),
    });
  }

  /**
   * Adds the release without changing the order.
   * @param released the total released amount, including this release
   */
  async releaseMilestone(
    id: OrderId,
    number: number,
    amount: bigint,
    released: bigint,
    block: number,
  ): Promise<void> {
    await this.database.insert(chain.milestoneRelease).values({
      orderId: id,
      number,
      amount,
      released,
      actor: zeroAddress,
      releasedAt: timeOf(block),
      block,
      txHash: keccak256(toHex(`milestone ${id} ${number}`)),
    });
  }

  /** Removes the order and its settlements, as a reorg does. Other rows of the order remain. */
  async removeOrder(id: OrderId): Promise<void> {
    await this.database.delete(chain.settlement).where(eq(chain.settlement.orderId, id));
    await this.database.delete(chain.order).where(eq(chain.order.id, id));
  }
}
