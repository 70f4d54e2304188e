// Manages the work items in the database: claims due items, and stores their outcomes.
import { type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { backoffMs } from "#core/backoff.ts";
import { hexText, merchantIdText } from "#core/db/as-text.ts";
import { inBatches } from "#core/db/batch.ts";
import type { Database } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { isLeaseOver } from "#core/db/lease.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { WORK_PURPOSES, type WorkClock, type WorkPurpose, workItem } from "#core/db/schema/work.ts";
import { toStoredForm } from "#core/db/stored-form.ts";
import type { OrderId } from "#core/ids.ts";
import type { Head } from "#core/indexer-state/guard.ts";
import { indexedBlock, indexedTime } from "#core/indexer-state/indexer-snapshot.ts";
import type { Due } from "#core/work/schedule-work.ts";

/** A claimed item. No other worker claims it before the lease ends. */
export type WorkItem = {
  orderId: OrderId;
  merchantId: string;
  purpose: WorkPurpose;
  revision: number;
  attempts: number;
};

/**
 * Waits for a number of milliseconds, and until `notBefore` (Unix milliseconds) if it is set. Both follow the
 * database's clock, like claims and leases, because this process's clock may be fast or slow.
 */
export type Wait = { delayMs: number; notBefore?: number };

/** The reason is for people. An item that was not tried keeps its number of attempts, and is retried soon. */
export type Refusal = { refused: string; untried?: true };

/**
 * The outcome of an item. `done`: nothing is left to do. A due block or time, or a wait: nothing is wrong. `refused`:
 * the item is retried with backoff.
 */
export type Outcome = "done" | (Due & { clock: "block" | "time" }) | Wait | Refusal;

/** Retries the item in the next block, when its facts may be different. */
export const nextBlock = ({ block }: Head): Outcome => ({ clock: "block", due: block + 1 });

/**
 * Lease of claimed items, which their worker renews. If the worker dies, another worker claims the items after this
 * time.
 */
const LEASE_MS = 10_000;
/** Interval between renewals. Two renewals may fail before the lease ends. */
export const RENEW_MS = 3_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 3_600_000;
/**
 * After this number of refusals (about a day and a half), an item is dead: it stays visible, but is no longer retried.
 */
const MOST_ATTEMPTS = 48;
/** Maximum length of a stored reason. */
const REASON_LENGTH = 500;
/** Number of outcomes that one statement writes. */
const WRITTEN_AT_ONCE = 1_000;

/** Maximum number of items of each clock, new or waiting, to claim at a time, by purpose. */
export type Capacity = Partial<Record<WorkPurpose, number>>;

const w = alias(workItem, "w");
const names = columnNames(workItem);

const isFree = isLeaseOver(w.leasedUntil);

const LEASE_END = sql.raw(`clock_timestamp() + interval '${LEASE_MS} ms'`);

/** Whether any item is due, for the deployment and the indexed head of the query (joinIndexerSnapshot). */
export const isAnyDue: SQL = sql`exists (
  select from unnest(${sql.raw(`array['${WORK_PURPOSES.join("', '")}']`)}) as p (purpose)
  cross join (values ('wall', (extract(epoch from clock_timestamp()) * 1000)::bigint),
    ('block', ${indexedBlock}), ('time', ${indexedTime})) as c (clock, until)
  cross join lateral (select from ${workItem} w where ${w.deploymentId} = ${deployment.id}
    and ${w.purpose} = p.purpose and ${w.clock} = c.clock and ${w.due} <= c.until and ${isFree} limit 1) w)`;

/**
 * Creates the claim of due items. Of each clock, items that have been due for the longest time come first. Items that are
 * due immediately (NOW) are counted separately from those that have waited, so that neither delay the others. Items of the
 * same purpose and order as one in progress are left. A claim raises the revision, so that the outcome of an earlier
 * worker is not stored.
 */
export function createClaim(database: Database, deploymentId: number) {
  return async (
    capacity: Capacity,
    head: Head,
    inProgress: readonly WorkItem[] = [],
  ): Promise<WorkItem[]> => {
    const limits = Object.entries(capacity).map(([purpose, most]) => ({ purpose, most }));
    // Reads each clock's index only up to the present, never the items that wait: there are many more of them than due
    // ones.
    const { rows } = await database.execute<WorkItem>(sql`
      with due as (
        select w.place from json_to_recordset(${JSON.stringify(limits)}::json) as p (purpose text, most int)
        cross join (values ('wall', 0::bigint, 0::bigint),
          ('wall', 1, (extract(epoch from clock_timestamp()) * 1000)::bigint),
          ('block', 0, ${head.block}), ('time', 0, ${head.timestamp})) c (clock, since, until)
        cross join lateral (
          select ctid as place from ${workItem} w
          where ${w.deploymentId} = ${deploymentId} and ${w.purpose} = p.purpose and ${w.clock} = c.clock
            and ${w.due} between c.since and c.until and ${isFree}
            and (${w.orderId}, ${w.purpose}) not in (
              select "orderId", purpose from json_to_recordset(${toJson(inProgress)}::json) as k ("orderId" bytea, purpose text))
          order by ${w.due} limit p.most for update skip locked) w)
      update ${workItem} w set ${names.leasedUntil} = ${LEASE_END}, ${names.revision} = ${w.revision} + 1
      -- By their places, which the locks keep: a join may read the table to its end.
      where w.ctid = any (array (select place from due))
      returning ${hexText(w.orderId)} as "orderId", ${merchantIdText(w.merchantId)} as "merchantId", ${w.purpose}, ${w.revision}, ${w.attempts}`);
    return rows;
  };
}

/** Serializes items for json_to_recordset, which reads the ids as bytes. */
const toJson = (items: readonly WorkItem[]): string => JSON.stringify(items.map(toStoredForm(workItem)));

/** Whether the row is the item `k`. */
const isItem = sql`${w.orderId} = k."orderId" and ${w.purpose} = k.purpose and ${w.merchantId} = k."merchantId"`;

/** Renews the leases of claimed items. Skips items that were scheduled or claimed again in the meantime. */
export async function renewLeases(
  database: Pick<Database, "execute">,
  items: readonly WorkItem[],
): Promise<void> {
  await database.execute(sql`
    with held as (
      select w.ctid as place
      from json_to_recordset(${toJson(items)}::json) as k ("orderId" bytea, "merchantId" bytea, purpose text, revision int)
      join ${workItem} w on ${isItem} and ${w.revision} = k.revision and ${w.leasedUntil} is not null
      order by ${w.orderId}, ${w.purpose} for update of w)
    update ${workItem} w set ${names.leasedUntil} = ${LEASE_END}
    where w.ctid = any (array (select place from held))`);
}

type Written = WorkItem & {
  done: boolean;
  clock?: WorkClock;
  /** In the clock's unit. */
  due?: number;
  /** The earliest time in addition to `due`, counted from now by the database's clock. */
  delayMs?: number;
  lastError?: string;
};

/** Returns the reason in a form that the database can store: without null characters and lone surrogates. */
const keptReason = (reason: string): string =>
  reason.slice(0, REASON_LENGTH).toWellFormed().replaceAll("\0", "");

function toWritten(
  { orderId, merchantId, purpose, revision, attempts }: WorkItem,
  outcome: Outcome,
): Written {
  const item = { orderId, merchantId, purpose, revision, attempts: 0, done: false };
  if (outcome === "done") return { ...item, done: true };
  if ("clock" in outcome) return { ...item, ...outcome };
  if ("delayMs" in outcome) {
    return { ...item, clock: "wall", due: outcome.notBefore ?? 0, delayMs: Math.round(outcome.delayMs) };
  }
  const refused = { ...item, clock: "wall", due: 0, lastError: keptReason(outcome.refused) } as const;
  if (outcome.untried) return { ...refused, attempts, delayMs: FIRST_RETRY_MS };
  return {
    ...refused,
    attempts: attempts + 1,
    clock: attempts + 1 >= MOST_ATTEMPTS ? "dead" : "wall",
    delayMs: backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, attempts),
  };
}

/**
 * Stores the outcomes of claimed items. Skips items that were scheduled or claimed again in the meantime.
 * @throws the error that prevented an outcome from being stored, after all others are stored
 */
export const finishWork = (
  database: Pick<Database, "execute">,
  outcomes: readonly (readonly [WorkItem, Outcome])[],
): Promise<void> =>
  inBatches(outcomes, WRITTEN_AT_ONCE, async (some) => {
    const written = some.map(([item, outcome]) => toWritten(item, outcome));
    await database.execute(sql`select gateway.finish_work(${toJson(written)}::json)`);
  });
