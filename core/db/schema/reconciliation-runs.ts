// Reconciliations in progress, which are run page by page, and the seal up to which nothing needs to be compared again
// (settlement/reconciliation).
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  numeric,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import type { Currency } from "../../money.ts";
import { merchantKey, moment, now } from "./columns.ts";
import { deployment, deploymentId } from "./deployments.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/**
 * The point up to which everything was compared without a difference. An incremental reconciliation reads only what
 * came after it.
 */
export type Seal = {
  /** Block number. On-chain events up to this block and their postings were compared. No reorg reaches it. */
  block: number;
  /** ISO time. Payouts that were last updated before it were compared with the ledger. */
  payoutsUpdatedAt: string;
  /**
   * ISO time. Payouts that were created before it and their transfers were compared. Their return windows have ended.
   */
  transfersSince: string;
  /**
   * The contract's holdings for foreign orders at that block: decimals in the smallest unit, by token. Null if unknown.
   */
  foreign: Record<string, string> | null;
};

/**
 * A reconciliation that is in progress or was interrupted. When it ends, its row is deleted, together with everything
 * that it stored.
 */
export const reconciliationRun = gatewaySchema.table(
  "reconciliation_run",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    deploymentId: deploymentId(),
    /** The name by which an interrupted run is resumed. Null if it is not resumed. */
    name: text(),
    merchantId: merchantKey(),
    /** Transfers that the provider accepted before this time are ignored. */
    since: moment().notNull(),
    /** The seal at which an incremental run starts. Null for a full run. */
    sealed: jsonb().$type<Seal>(),
    /** The seal that the run creates if it finds no difference. */
    target: jsonb().$type<Seal>().notNull(),
    /** The check in progress, and the position in it. Null at the start. */
    stage: text(),
    cursor: jsonb(),
    /** The process that performs the run, and the end of its lease. */
    worker: text().notNull(),
    leasedUntil: moment().notNull(),
    createdAt: now(),
  },
  (t) => [index().on(t.name), index().on(t.createdAt)],
);

const runId = () =>
  bigint({ mode: "number" })
    .notNull()
    .references(() => reconciliationRun.id, { onDelete: "cascade" });

/** A difference that a run has found, until it is compared a second time. */
export const reconciliationFinding = gatewaySchema.table(
  "reconciliation_finding",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    runId: runId(),
    kind: text().notNull(),
    about: text().notNull(),
    says: text().notNull(),
    token: text(),
    /** The amount at stake, and the facts that identify the difference: see Discrepancy. */
    stake: jsonb().$type<{ amount: string; currency: Currency }>(),
    identity: text().notNull(),
    /** The subject that the second comparison reads again (settlement/reconciliation/discrepancy.ts). */
    subject: jsonb().notNull(),
    /** Whether the second comparison has found the difference, too. */
    confirmed: boolean().notNull().default(false),
  },
  (t) => [uniqueIndex().on(t.runId, t.kind, t.about, t.identity), index().on(t.runId, t.id)],
);

/** Balances at the start of a run, minus the postings that the run has read. They are zero at the end. */
export const reconciliationBalance = gatewaySchema.table(
  "reconciliation_balance",
  {
    runId: runId(),
    merchantId: merchantKey().notNull(),
    mode: text().$type<Mode>().notNull(),
    currency: text().$type<Currency>().notNull(),
    account: text().notNull(),
    /** In the smallest unit. */
    amount: numeric({ precision: 60, scale: 0, mode: "bigint" }).notNull(),
  },
  (t) => [
    primaryKey({
      name: "reconciliation_balance_pk",
      columns: [t.merchantId, t.runId, t.mode, t.currency, t.account],
    }),
    index("reconciliation_balance_of_run").on(t.runId),
    index("reconciliation_balance_differs").on(t.runId, t.merchantId).where(sql`${t.amount} <> 0`),
  ],
);

/** References that a run has seen in a provider's list. */
export const reconciliationTransfer = gatewaySchema.table(
  "reconciliation_transfer",
  {
    runId: runId(),
    account: text().notNull(),
    reference: text().notNull(),
    providerId: text().notNull(),
  },
  (t) => [primaryKey({ name: "reconciliation_transfer_pk", columns: [t.runId, t.account, t.reference] })],
);

/** The seal of each deployment: see Seal. */
export const reconciliationSeal = gatewaySchema.table("reconciliation_seal", {
  deploymentId: integer()
    .primaryKey()
    .references(() => deployment.id),
  seal: jsonb().$type<Seal>().notNull(),
  sealedAt: now(),
});
