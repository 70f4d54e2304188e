// The list of work in the database: claiming what is due, and writing down what became of it.

import { sql } from "drizzle-orm";
import { backoffMs } from "#core/backoff.ts";
import type { Database } from "#core/db/client.ts";
import type { Head } from "#core/db/guard.ts";
import type { WorkClock, WorkPurpose } from "#core/db/schema/work.ts";
import type { OrderId } from "#core/ids.ts";
import type { Due } from "#core/work/schedule-work.ts";

/** A claimed item. Nobody else claims it before the lease ends. */
export type WorkItem = {
  orderId: OrderId;
  merchantId: string;
  purpose: WorkPurpose;
  revision: number;
  attempts: number;
};

/**
 * What became of an item: nothing is left to do; it waits, with nothing wrong; or it was refused, for a reason that somebody
 * reads, and is tried again later and later.
 */
export type Outcome = "done" | Due | { refused: string };

/** Everything may be otherwise then. */
export const nextBlock = ({ block }: Head): Outcome => ({ clock: "block", due: block + 1 });

/** How long a worker may take for what it has claimed. If it dies, somebody else claims it then. */
const LEASE_MS = 60_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 3_600_000;
/** After about a day and a half of refusals an item is dead: it stays to be seen, and is not tried any more. */
const MOST_ATTEMPTS = 48;
/** What is kept of a reason. */
const REASON_LENGTH = 500;

/** How many items of a purpose are claimed at a time. */
export type Capacity = Partial<Record<WorkPurpose, number>>;

/** Claims due items of these purposes, those first that have been due for longest. */
export function createClaim(database: Database, deploymentId: string) {
  return async (capacity: Capacity, head: Head): Promise<WorkItem[]> => {
    const limits = Object.entries(capacity).map(([purpose, most]) => ({ purpose, most }));
    // A reading of each clock's index, never of what waits by it: the items are many more than those that are due.
    const { rows } = await database.execute<WorkItem>(sql`
      with now as (select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms),
      due as (
        select w.place from json_to_recordset(${JSON.stringify(limits)}::json) as p (purpose text, most int)
        cross join (select 'wall' as clock, ms as until from now
          union all values ('block', ${head.block}::bigint), ('time', ${head.timestamp}::bigint)) c
        cross join lateral (
          select ctid as place from gateway.work_item
          where deployment_id = ${deploymentId} and purpose = p.purpose and clock = c.clock and due <= c.until
          order by due limit p.most for update skip locked) w)
      update gateway.work_item w set clock = 'wall', due = now.ms + ${LEASE_MS}
      from now
      -- By their places, which the locks keep: a join may read the table to its end.
      where w.ctid = any (array (select place from due))
      returning w.order_id as "orderId", w.merchant_id as "merchantId", w.purpose, w.revision, w.attempts`);
    return rows;
  };
}

type Written = WorkItem & {
  done: boolean;
  clock: WorkClock | null;
  due: number | null;
  lastError: string | null;
};

function writtenOf(item: WorkItem, outcome: Outcome, now: number): Written {
  if (outcome === "done") return { ...item, done: true, clock: null, due: null, lastError: null };
  if ("clock" in outcome) return { ...item, attempts: 0, done: false, lastError: null, ...outcome };
  const attempts = item.attempts + 1;
  const dead = attempts >= MOST_ATTEMPTS;
  return {
    ...item,
    attempts,
    done: false,
    clock: dead ? "dead" : "wall",
    due: now + backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, attempts - 1),
    lastError: outcome.refused.slice(0, REASON_LENGTH),
  };
}

/** Writes what became of claimed items; one that was scheduled again meanwhile is left as it is. */
export async function finishWork(
  database: Pick<Database, "execute">,
  outcomes: readonly (readonly [WorkItem, Outcome])[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const now = Date.now();
  const written = outcomes.map(([item, outcome]) => writtenOf(item, outcome, now));
  await database.execute(sql`
    with known as (
      select * from json_to_recordset(${JSON.stringify(written)}::json) as k ("orderId" text, "merchantId" text,
        purpose text, revision int, attempts int, done boolean, clock text, due bigint, "lastError" text)),
    done as (
      delete from gateway.work_item w using known k
      where k.done and w.order_id = k."orderId" and w.purpose = k.purpose and w.merchant_id = k."merchantId"
        and w.revision = k.revision)
    update gateway.work_item w set clock = k.clock, due = k.due, attempts = k.attempts, last_error = k."lastError"
    from known k
    where not k.done and w.order_id = k."orderId" and w.purpose = k.purpose and w.merchant_id = k."merchantId"
      and w.revision = k.revision`);
}
