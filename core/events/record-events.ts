// Records each event once. The event and its deliveries are stored in the transaction of the change that causes the
// event. The event is also the entry of the audit log about the change.
import { inArray, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Actor } from "../audit/record-audit.ts";
import type { Transaction } from "../db/client.ts";
import { columnNames } from "../db/column-names.ts";
import { event } from "../db/schema/events.ts";
import { webhookDelivery, webhookEndpoint } from "../db/schema/webhooks.ts";
import { type IntentId, newId } from "../ids.ts";
import type { EventData, EventType } from "../model/event-data.ts";
import type { IntentStatus } from "../model/intent-status.ts";

/** The channel that notifies the settlement role of new deliveries. */
export const DELIVERY_CHANNEL = "gateway_deliveries";

export type EventRow = typeof event.$inferSelect;

/** The intent that an event is about. */
export type Subject = {
  id: IntentId;
  merchantId: string;
  mode: EventRow["mode"];
  metadata: Record<string, unknown>;
};

export type Draft = {
  type: EventType;
  data: EventData;
  /** Set for transitions of the intent. */
  from?: IntentStatus;
  to?: IntentStatus;
  decidedBy: string;
  /** Who caused the event; absent for the service itself. */
  actor?: Actor;
};

const buildEventKey = (type: string, to: string | null | undefined, decidedBy: string): string =>
  [type, to ?? "", decidedBy].join(" ");

type Emitted = Pick<EventRow, "type" | "toStatus" | "decidedBy" | "sequence">;

/**
 * Returns the drafts that have not been emitted yet. A reorged transition that happens again is emitted again, even if
 * the same block causes it. A revision number is then appended to its cause.
 */
function keepPending(drafts: Draft[], known: Emitted[]): Draft[] {
  const emitted = new Set(known.map((row) => buildEventKey(row.type, row.toStatus, row.decidedBy)));
  let status = known.findLast(({ toStatus }) => toStatus !== null)?.toStatus;
  return drafts.flatMap((draft) => {
    const { type, to } = draft;
    const happensAgain = to !== undefined && to !== status;
    let { decidedBy } = draft;
    for (let revision = 2; happensAgain && emitted.has(buildEventKey(type, to, decidedBy)); revision++) {
      decidedBy = `${draft.decidedBy}#${revision}`;
    }
    if (emitted.has(buildEventKey(type, to, decidedBy))) return [];
    status = to ?? status;
    return [{ ...draft, decidedBy }];
  });
}

/** The events to emit for one intent, in order. */
export type PendingEvents = { subject: Subject; drafts: Draft[] };

/** Records the new drafts of one intent. */
export const recordEvents = (tx: Transaction, subject: Subject, drafts: Draft[]): Promise<EventRow[]> =>
  recordAllEvents(tx, [{ subject, drafts }]);

/**
 * Records the new drafts in order. The caller has locked the intents' rows, so that the events of each intent are
 * numbered without gaps.
 * @param pending one entry per intent
 */
export async function recordAllEvents(tx: Transaction, pending: PendingEvents[]): Promise<EventRow[]> {
  const ids = pending.flatMap(({ subject, drafts }) => (drafts.length > 0 ? [subject.id] : []));
  if (ids.length === 0) return [];
  const known = await tx
    .select({
      intentId: event.intentId,
      type: event.type,
      toStatus: event.toStatus,
      decidedBy: event.decidedBy,
      sequence: event.sequence,
    })
    .from(event)
    .where(inArray(event.intentId, ids))
    .orderBy(event.sequence);
  const knownByIntent = Map.groupBy(known, ({ intentId }) => intentId);
  const fresh = pending.flatMap(({ subject, drafts }) => {
    const before = knownByIntent.get(subject.id) ?? [];
    const last = Math.max(0, ...before.map((row) => row.sequence ?? 0));
    return keepPending(drafts, before).map((draft, index) => ({
      ...draft,
      subject,
      sequence: last + 1 + index,
    }));
  });
  if (fresh.length === 0) return [];
  const rows = await tx
    .insert(event)
    .values(
      fresh.map(({ subject, sequence, type, data, from, to, decidedBy, actor }) => ({
        id: newId("evt"),
        merchantId: subject.merchantId,
        mode: subject.mode,
        intentId: subject.id,
        sequence,
        type,
        fromStatus: from ?? null,
        toStatus: to ?? null,
        decidedBy,
        metadata: subject.metadata,
        data,
        actorType: actor?.type ?? null,
        actor: actor?.id ?? null,
      })),
    )
    .returning();
  await planDeliveries(tx, rows);
  return rows;
}

const [e, w] = [alias(event, "e"), alias(webhookEndpoint, "w")];
const names = columnNames(webhookDelivery);

/**
 * Inserts one delivery for each endpoint that subscribes to the event. The statement waits for the lock of an endpoint
 * that is being deleted, and then skips the endpoint.
 */
async function planDeliveries(tx: Transaction, rows: EventRow[]): Promise<void> {
  const isRecorded = inArray(
    e.id,
    rows.map(({ id }) => id),
  );
  const { rowCount } = await tx.execute(sql`
    insert into ${webhookDelivery} (${names.id}, ${names.merchantId}, ${names.endpointId}, ${names.eventId},
      ${names.intentId}, ${names.sequence})
    select uuidv7(), ${e.merchantId}, ${w.id}, ${e.id}, ${e.intentId}, ${e.sequence}
    from ${event} e
    join ${webhookEndpoint} w on ${w.merchantId} = ${e.merchantId} and ${w.mode} = ${e.mode} and ${w.status} = 'enabled'
      and ${w.enabledEvents} ?| array['*', ${e.type}, split_part(${e.type}, '.', 1) || '.*']
    where ${isRecorded}
    order by ${e.id}
    for key share of w`);
  if (rowCount) await wakeDeliveries(tx);
}

/** Notifies the settlement role when the transaction commits. */
export async function wakeDeliveries(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`);
}
