// Finds lost events and audit entries: changes without an event, gaps between events, and a truncated audit log.
import { and, asc, eq, exists, gt, gte, or, sql } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { IntentId } from "#core/ids.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { verifyChain } from "../events/audit-hash-chain.ts";
import { isUnreported, recordUnreported } from "../events/observe.ts";
import type { Context } from "../runtime/context.ts";
import type { Repair } from "./repair.ts";

/** Number of intents per page. */
const PAGE = 200;

/** Yields the payments of which the row, the order or a payout has changed since the given time, page by page. */
async function* changedSince({ database, deployment }: Context, since: Date): AsyncGenerator<IntentId[]> {
  // No id comes before the empty one.
  for (let after: IntentId = "intent_"; ; ) {
    const rows = await database
      .select({ id: intent.id })
      .from(intent)
      .leftJoin(chain.order, eq(chain.order.id, intent.id))
      .where(
        and(
          eq(intent.deploymentId, deployment.id),
          gt(intent.id, after),
          or(
            gte(intent.updatedAt, since),
            sql`${chain.order.updatedAt} >= ${toUnixSeconds(since)}`,
            exists(
              database
                .select({ id: payout.id })
                .from(payout)
                .where(and(eq(payout.intentId, intent.id), gte(payout.updatedAt, since))),
            ),
          ),
        ),
      )
      .orderBy(asc(intent.id))
      .limit(PAGE);
    if (rows.length > 0) yield rows.map(({ id }) => id);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.id;
  }
}

/** Finds payments with a change that no event reports. */
export async function findMissingEvents(context: Context, since: Date): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for await (const ids of changedSince(context, since)) {
    for (const view of await context.reader.findAll(ids)) {
      if (!isUnreported(view)) continue;
      const { status, intent: row } = view;
      repairs.push({
        kind: "event_missing",
        about: row.id,
        says:
          status === row.lastEmittedStatus
            ? `${row.id} is ${status}, and has changes that no event reports.`
            : `${row.id} is ${status}, but its last event reports ${row.lastEmittedStatus}.`,
        does: "Emits the missing events. Listeners may already have received them with different ids.",
        async apply(note) {
          await context.database.transaction(note);
          const left = await recordUnreported(context, await context.reader.findAll([row.id]));
          if (left.size > 0)
            throw new Error(`Another process is changing ${row.id}. Stop API and settlement.`);
        },
      });
    }
  }
  return repairs;
}

/**
 * Finds gaps and repetitions in the numbering of a payment's events. Events are numbered without gaps under the lock of
 * the intent, so a person has deleted or inserted an event, and nothing can replace a missing one.
 */
export async function findEventGaps({ database }: Context, since: Date): Promise<Repair[]> {
  const rows = await database
    .select({
      id: event.intentId,
      last: sql<number>`max(${event.sequence})`,
      count: sql<number>`count(*)::int`,
      numbers: sql<number>`count(distinct ${event.sequence})::int`,
    })
    .from(event)
    .where(
      sql`${event.intentId} in (select ${intent.id} from ${intent} where ${gte(intent.updatedAt, since)})`,
    )
    .groupBy(event.intentId)
    .having(
      sql`max(${event.sequence}) <> count(distinct ${event.sequence}) or count(*) <> count(distinct ${event.sequence})`,
    );
  return rows.map(({ id, last, count, numbers }) => ({
    kind: "event_gap",
    about: id ?? "",
    says:
      count > numbers
        ? `${id} has ${count} events, but only ${numbers} different numbers.`
        : `${id} has events up to number ${last}, but only ${count} events.`,
    does: "Nothing: a restore loses only the latest events, never one in between. Find out who deleted or inserted one.",
  }));
}

/**
 * Finds a truncated or modified audit log. A truncated log is excused once, by an entry in the log itself; a modified
 * log never is.
 * @param head the audit log's head as noted before the loss, if it was noted
 */
export async function findAuditLogDamage({ database }: Context, head: string | undefined): Promise<Repair[]> {
  const { problem, head: now } = await verifyChain(database);
  if (problem) {
    const does = "Nothing: a restore truncates the log but does not change it. Find out who changed it.";
    return [{ kind: "audit_cut", about: now, says: problem, does }];
  }
  if (head === undefined) return [];
  const { problem: cut } = await verifyChain(database, head);
  const isExcused = and(eq(auditLog.action, "recovery.audit_cut"), eq(auditLog.resourceId, head));
  if (!cut || (await database.$count(auditLog, isExcused)) > 0) return [];
  return [
    {
      ...{ kind: "audit_cut", about: head, says: cut },
      does: "Records in the log that its end is lost. The lost entries cannot be restored. Note the new head.",
      apply: (note) => database.transaction(note),
    },
  ];
}
