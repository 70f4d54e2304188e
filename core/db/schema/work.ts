// The work items of the settlement workers, and the state of the orders from which they were derived. The tables have no
// foreign keys: their rows are written with every change of an order, and each check would lock the rows of the merchant
// and of the deployment, which all of its orders share.
import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { hex, merchantKey, moment, now, orderId } from "./columns.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/** What a worker does for an order. Each order has at most one item of each purpose at a time. */
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
 * The clock by which an item becomes due. `block`: the indexed head's block number. `time`: the indexed head's time in
 * Unix seconds. `wall`: this service's own clock in Unix milliseconds (retries and leases). `dead`: the item is not due
 * until the order changes or an operator acts.
 */
export type WorkClock = "block" | "time" | "wall" | "dead";

/** Work that may be due for an order. The worker reads the current facts before it acts. */
export const workItem = gatewaySchema.table(
  "work_item",
  {
    deploymentId: integer().notNull(),
    merchantId: merchantKey().notNull(),
    orderId: orderId().notNull(),
    purpose: text().$type<WorkPurpose>().notNull(),
    clock: text().$type<WorkClock>().notNull(),
    due: bigint({ mode: "number" }).notNull(),
    /**
     * The end of the lease of the worker that has claimed the item. No index contains this column, so that a claim is a
     * heap-only update.
     */
    leasedUntil: moment(),
    /**
     * Changes with each claim and each new reason to act, so that a worker that handled an earlier reason does not
     * remove the item. It starts at a random number: a worker may also have handled an earlier item of the same order
     * and purpose.
     */
    revision: integer().notNull().default(sql`(random() * 1000000000)::integer`),
    /** The number of consecutive refusals or failures, and the reason for the last one. */
    attempts: integer().notNull().default(0),
    lastError: text(),
    /** Whether the item is derived only from on-chain facts. When they change, the next derivation may remove it. */
    derived: boolean().notNull().default(false),
    createdAt: now(),
  },
  (t) => [
    primaryKey({ columns: [t.orderId, t.purpose, t.merchantId] }),
    index("work_item_due").on(t.deploymentId, t.purpose, t.clock, t.due),
    // Items on a merchant's home page: disputes by deadline, and released funds that are not settled.
    index("work_item_shown")
      .on(t.merchantId, t.purpose, t.due)
      .where(sql`${t.purpose} in ('settle', 'resolve_expired_dispute')`),
    index("work_item_failing").on(t.deploymentId, t.clock, t.purpose).where(sql`${t.attempts} > 0`),
  ],
);

/**
 * The block that last changed an order, while a reorg may still remove it. Ponder does not report removed rows. An
 * order that has vanished, or whose block has another hash, is found by comparison with this table.
 */
export const trackedOrder = gatewaySchema.table(
  "tracked_order",
  {
    deploymentId: integer().notNull(),
    merchantId: merchantKey().notNull(),
    orderId: orderId().notNull(),
    block: bigint({ mode: "number" }).notNull(),
    blockHash: hex().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.orderId, t.merchantId] }),
    index("tracked_order_block").on(t.deploymentId, t.block),
  ],
);

/**
 * The replica that does the work that only one replica may do. It renews its lease, and another replica takes over when
 * the lease has expired.
 */
export const leaderLease = gatewaySchema.table("leader_lease", {
  name: text().primaryKey(),
  holder: text().notNull(),
  expiresAt: moment().notNull(),
});
