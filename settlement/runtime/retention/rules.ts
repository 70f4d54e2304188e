// Defines which rows are deleted, and when (docs/retention.md). Each rule reads an index that leads to the due rows,
// oldest first.
import { lt, type SQL, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { intent } from "#core/db/schema/intents.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { idempotencyKey, requestLog } from "#core/db/schema/requests.ts";
import { reportedTransaction } from "#core/db/schema/transactions.ts";
import { dashboardRateLimit, dashboardSession, dashboardVerification } from "#core/db/schema/users.ts";
import { webhookDelivery } from "#core/db/schema/webhooks.ts";
import { IDEMPOTENCY_KEPT_MS } from "#core/idempotency.ts";

const DAY_MS = 24 * 3_600_000;

export type RetentionRule = {
  table: PgTable;
  /**
   * The time from which a row's age is counted. It is the first column of the index. An id contains the time of its
   * creation (UUIDv7), so that rows that are deleted by their age need no index of the time.
   */
  since: PgColumn;
  /** How long a row is kept after that time, in milliseconds. */
  keptMs: number;
  /** Set if `since` is an id, or has Unix milliseconds, instead of a timestamp. */
  form?: "id" | "unixMs";
  /** Limits which old rows are deleted; if absent, all of them are. */
  only?: SQL;
};

/** Returns the condition for a rule's due rows, by the database's clock. */
export const dueBy = ({ since, keptMs, form, only }: RetentionRule): SQL => {
  const kept = sql`${keptMs}::bigint`;
  const before = {
    // A subquery, because a condition with a volatile function is not an index condition.
    id: sql`(select uuidv7(-${kept} * interval '1 millisecond'))`,
    unixMs: sql`(extract(epoch from statement_timestamp()) * 1000)::bigint - ${kept}`,
    time: sql`statement_timestamp() - ${kept} * interval '1 millisecond'`,
  }[form ?? "time"];
  return only ? sql`${lt(since, before)} and ${only}` : lt(since, before);
};

export const RETENTION_RULES: readonly RetentionRule[] = [
  { table: idempotencyKey, since: idempotencyKey.createdAt, keptMs: IDEMPOTENCY_KEPT_MS },
  {
    // The attempts are deleted as well, because the foreign key cascades.
    table: webhookDelivery,
    since: webhookDelivery.id,
    form: "id",
    keptMs: 30 * DAY_MS,
    only: sql`${webhookDelivery.nextAttemptAt} is null`,
  },
  {
    // A failed reported transaction decides the status of a payment that can still change.
    table: reportedTransaction,
    since: reportedTransaction.createdAt,
    keptMs: 30 * DAY_MS,
    only: sql`(not ${reportedTransaction.failed} or exists (select from ${intent}
      where ${intent.id} = ${reportedTransaction.intentId} and ${intent.merchantId} = ${reportedTransaction.merchantId}
        and ${intent.endedAs} is not null))`,
  },
  { table: reconciliation, since: reconciliation.createdAt, keptMs: 90 * DAY_MS },
  { table: dashboardSession, since: dashboardSession.expiresAt, keptMs: DAY_MS },
  { table: dashboardVerification, since: dashboardVerification.expiresAt, keptMs: DAY_MS },
  { table: requestLog, since: requestLog.id, form: "id", keptMs: 7 * DAY_MS },
  { table: dashboardRateLimit, since: dashboardRateLimit.lastRequest, keptMs: DAY_MS, form: "unixMs" },
];
