// What is due for an order: the settlement workers' list of work, and what it was derived from.
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import type { OrderId } from "../../ids.ts";
import { hex, moment, now } from "./columns.ts";
import { deploymentId } from "./deployments.ts";
import { gatewaySchema } from "./gateway-schema.ts";
import { merchantId } from "./merchants.ts";

/** What a worker does for an order. At most one item of each exists at a time. */
export const WORK_PURPOSES = [
  "settle",
  "release_time_locked",
  "release_milestone",
  "resolve_expired_dispute",
  "return_late_funding",
  "plan_payouts",
  "post_ledger",
  "observe",
] as const;
export type WorkPurpose = (typeof WORK_PURPOSES)[number];

/**
 * By which clock an item becomes due: the indexed head's block number, the indexed head's time in Unix seconds, or this
 * service's own clock in Unix milliseconds (retries and leases). `dead`: not at all before the order changes or operations
 * act.
 */
export type WorkClock = "block" | "time" | "wall" | "dead";

/** Work that may be due for an order: the worker reads the current facts before it acts. */
export const workItem = gatewaySchema.table(
  "work_item",
  {
    deploymentId: deploymentId(),
    merchantId: merchantId(),
    orderId: text().$type<OrderId>().notNull(),
    purpose: text().$type<WorkPurpose>().notNull(),
    clock: text().$type<WorkClock>().notNull(),
    due: bigint({ mode: "number" }).notNull(),
    /** The end of the lease of the worker that has claimed it. No index has it: a claim is a heap-only update. */
    leasedUntil: moment(),
    /** Changes with each reason to act: what a worker finds out about an earlier one does not remove the item. */
    revision: integer().notNull().default(0),
    /** How often in a row it was refused or failed, and why the last time. */
    attempts: integer().notNull().default(0),
    lastError: text(),
    /** Follows from the chain's facts alone: when they change, the next derivation may remove it. */
    derived: boolean().notNull().default(false),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.orderId, t.purpose, t.merchantId] }),
    index("work_item_due").on(t.deploymentId, t.purpose, t.clock, t.due),
    // What a merchant's home shows: disputes by their deadline, and what is released and not settled.
    index("work_item_shown")
      .on(t.merchantId, t.purpose, t.due)
      .where(sql`${t.purpose} in ('settle', 'resolve_expired_dispute')`),
    index("work_item_failing").on(t.deploymentId, t.clock, t.purpose).where(sql`${t.attempts} > 0`),
  ],
);

/**
 * The block that last changed an order, while a reorg may still remove it. Ponder reports no removed rows: an order that
 * vanished, or whose block has another hash, is found by comparison with this.
 */
export const trackedOrder = gatewaySchema.table(
  "tracked_order",
  {
    deploymentId: deploymentId(),
    merchantId: merchantId(),
    orderId: text().$type<OrderId>().notNull(),
    block: bigint({ mode: "number" }).notNull(),
    blockHash: hex().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orderId, t.merchantId] }),
    index("tracked_order_block").on(t.deploymentId, t.block),
  ],
);

/** Which replica does what only one is to do: it renews its lease, and another takes over when that has ended. */
export const leaderLease = gatewaySchema.table("leader_lease", {
  name: text().primaryKey(),
  holder: text().notNull(),
  expiresAt: moment().notNull(),
});
