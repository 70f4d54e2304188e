// Records each event once. The event and its deliveries are stored in the transaction of the change that causes the
// event. The event is also the entry of the audit log about the change.
import { sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Actor } from "../audit/record-audit.ts";
import type { Transaction } from "../db/client.ts";
import { columnNames } from "../db/column-names.ts";
import { insertMany } from "../db/insert-many.ts";
import { isAmong } from "../db/is-among.ts";
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

/** An event that has been emitted. */
export type Emitted = Pick<EventRow, "type" | "fromStatus" | "toStatus" | "decidedBy" | "sequence">;

/**
 * Returns the drafts that have not been emitted yet. A reorged transition that happens again is emitted again, even if
 * the same block causes it. A revision number is then appended to its cause.
 */
function keepPending(drafts: readonly Draft[], known: readonly Emitted[]): Draft[] {
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

/** The emitted events of some intents, in order. */
type KnownEvents = ReadonlyMap<IntentId | null, readonly Emitted[]>;

/** Reads the events of intents whose rows this transaction has locked. */
export async function readEvents(tx: Transaction, ids: readonly IntentId[]): Promise<KnownEvents> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({
      intentId: event.intentId,
      type: event.type,
      fromStatus: event.fromStatus,
      toStatus: event.toStatus,
      decidedBy: event.decidedBy,
      sequence: event.sequence,
    })
    .from(event)
    .where(isAmong(event.intentId, ids))
    .orderBy(event.sequence)
    .prepare("read_events")
    .execute();
  return Map.groupBy(rows, ({ intentId }) => intentId);
}

/** The events to emit for one intent, in order. */
type PendingEvents = { subject: Subject; drafts: readonly Draft[] };

/** Records the new drafts of one intent. The caller has locked the intent's row. */
export async function recordEvents(
  tx: Transaction,
  subject: Subject,
  drafts: readonly Draft[],
): Promise<void> {
  await recordAllEvents(tx, [{ subject, drafts }], await readEvents(tx, [subject.id]));
}

/**
 * Records the new drafts in order. The caller has locked the intents' rows, so that the events of each intent are
 * numbered without gaps.
 * @param pending one entry per intent
 * @param known the events of these intents (readEvents)
 */
export async function recordAllEvents(
  tx: Transaction,
  pending: readonly PendingEvents[],
  known: KnownEvents,
): Promise<void> {
  const fresh = pending.flatMap(({ subject, drafts }) => {
    const before = known.get(subject.id) ?? [];
    const last = before.at(-1)?.sequence ?? 0;
    return keepPending(drafts, before).map((draft, index) => ({
      ...draft,
      subject,
      sequence: last + 1 + index,
    }));
  });
  if (fresh.length === 0) return;
  const { rowCount } = await tx.execute(
    insertWithDeliveries(
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
    ),
  );
  if (rowCount) await wakeDeliveries(tx);
}

/** `e` has the columns of the inserted events. */
const [e, w] = [alias(event, "e"), alias(webhookEndpoint, "w")];
const names = columnNames(webhookDelivery);
const insertEvents = insertMany(event, [
  "id",
  "merchantId",
  "mode",
  "intentId",
  "sequence",
  "type",
  "fromStatus",
  "toStatus",
  "decidedBy",
  "metadata",
  "data",
  "actorType",
  "actor",
]);

/**
 * Builds the statement that inserts events, and one delivery for each endpoint that subscribes to an event. If another
 * transaction has locked an endpoint, the statement waits for it, and then checks the endpoint again: one that was
 * deleted, disabled or unsubscribed gets no delivery.
 */
const insertWithDeliveries = (rows: (typeof event.$inferInsert)[]) => sql`
  with e as (${insertEvents(rows)} returning id, merchant_id, mode, intent_id, sequence, type)
  insert into ${webhookDelivery} (${names.id}, ${names.merchantId}, ${names.endpointId}, ${names.eventId},
    ${names.intentId}, ${names.sequence})
  select uuidv7(), ${e.merchantId}, ${w.id}, ${e.id}, ${e.intentId}, ${e.sequence}
  from e
  join ${webhookEndpoint} w on ${w.merchantId} = ${e.merchantId} and ${w.mode} = ${e.mode} and ${w.status} = 'enabled'
    and ${w.enabledEvents} ?| array['*', ${e.type}, split_part(${e.type}, '.', 1) || '.*']
  order by ${e.id}
  for key share of w`;

/** Notifies the settlement role when the transaction commits. */
export async function wakeDeliveries(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`);
}
