// Reconciliations that are under way, page by page, and what needs no further comparison (settlement/reconciliation).
import { sql } from "drizzle-orm";
import { bigint, boolean, index, jsonb, numeric, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Mode } from "../../model/mode.ts";
import type { Currency } from "../../money.ts";
import { moment, now } from "./columns.ts";
import { deployment, deploymentId } from "./deployments.ts";
import { gatewaySchema } from "./gateway-schema.ts";

/** Up to where everything was compared without a difference. An incremental reconciliation reads what came after. */
export type Seal = {
  /** Block: chain events up to it, and their postings. No reorg reaches it. */
  block: number;
  /** ISO time: payouts that were updated before it, against the ledger. */
  payoutsUpdatedAt: string;
  /** ISO time: payouts created before it, and their transfers. Their return windows are over. */
  transfersSince: string;
  /**
   * What orders of others had in the contract after that block: smallest units by token, as decimals. Null: not known.
   */
  foreign: Record<string, string> | null;
};

/** A reconciliation that is under way or was interrupted. Its row is deleted when it ends, together with everything that it stored. */
export const reconciliationRun = gatewaySchema.table(
  "reconciliation_run",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    deploymentId: deploymentId(),
    /** By which an interrupted run is found again. Null: it is not resumed. */
    name: text(),
    merchantId: text(),
    /** Transfers that the provider accepted earlier are left out. */
    since: moment().notNull(),
    /** Of an incremental run: where it starts. Null: the run is a full one. */
    sealed: jsonb().$type<Seal>(),
    /** The seal that the run makes if it finds no difference. */
    target: jsonb().$type<Seal>().notNull(),
    /** The check that is under way, and the position in it; null at its beginning. */
    stage: text(),
    cursor: jsonb(),
    /** The process that compares, and until when no other does. */
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

/** What a run has found, until it is compared a second time. */
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
    /** What the second comparison reads again: see settlement/reconciliation/discrepancy.ts. */
    subject: jsonb().notNull(),
    /** The second comparison has found it too. */
    confirmed: boolean().notNull().default(false),
  },
  (t) => [uniqueIndex().on(t.runId, t.kind, t.about, t.identity), index().on(t.runId, t.id)],
);

/** Balances at the beginning of a run, less the postings that it has read: zero at the end. */
export const reconciliationBalance = gatewaySchema.table(
  "reconciliation_balance",
  {
    runId: runId(),
    merchantId: text().notNull(),
    mode: text().$type<Mode>().notNull(),
    currency: text().$type<Currency>().notNull(),
    account: text().notNull(),
    /** Smallest unit. */
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

/** The references that a run has seen in a provider's list. */
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

/** One a deployment: see Seal. */
export const reconciliationSeal = gatewaySchema.table("reconciliation_seal", {
  deploymentId: text()
    .primaryKey()
    .references(() => deployment.id),
  seal: jsonb().$type<Seal>().notNull(),
  sealedAt: now(),
});
