// Writes down what happened, once: the event, and what is to be delivered of it, in the transaction of the effect.
import { inArray, sql } from "drizzle-orm";
import { type Actor, recordAudit, subjectOf } from "../audit/record-audit.ts";
import type { Transaction } from "../db/client.ts";
import { event } from "../db/schema/events.ts";
import { webhookEndpoint } from "../db/schema/webhooks.ts";
import { type IntentId, newId } from "../ids.ts";
import type { IntentStatus } from "../intent/status.ts";
import type { EventData, EventType } from "./event-data.ts";

/** The channel on which the settlement role hears that something is to be delivered. */
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
  /** For transitions of the intent. */
  from?: IntentStatus;
  to?: IntentStatus;
  decidedBy: string;
  /** Who made it happen; the service itself if absent. */
  actor?: Actor;
};

const keyOf = (type: string, to: string | null | undefined, decidedBy: string): string =>
  [type, to ?? "", decidedBy].join(" ");

type Told = Pick<EventRow, "type" | "toStatus" | "decidedBy" | "sequence">;

/**
 * The drafts that nobody has told yet. A transition that was taken back and comes again is news again, also where the same
 * block decides it: its turn goes with what decided it.
 */
function untold(drafts: Draft[], known: Told[]): Draft[] {
  const told = new Set(known.map((row) => keyOf(row.type, row.toStatus, row.decidedBy)));
  let status = known.findLast(({ toStatus }) => toStatus !== null)?.toStatus;
  return drafts.flatMap((draft) => {
    const { type, to } = draft;
    const isBackAgain = to !== undefined && to !== status;
    let { decidedBy } = draft;
    for (let turn = 2; isBackAgain && told.has(keyOf(type, to, decidedBy)); turn++) {
      decidedBy = `${draft.decidedBy}#${turn}`;
    }
    if (told.has(keyOf(type, to, decidedBy))) return [];
    status = to ?? status;
    return [{ ...draft, decidedBy }];
  });
}

/** What is to be told of one intent, in its order. */
export type Telling = { subject: Subject; drafts: Draft[] };

/** Adds what is new among the drafts of one intent. */
export const recordEvents = (tx: Transaction, subject: Subject, drafts: Draft[]): Promise<EventRow[]> =>
  recordEventsOf(tx, [{ subject, drafts }]);

/**
 * Adds what is new among the drafts, in their order. The caller has locked the intents' rows, so that the events of each
 * are numbered without gaps.
 * @param tellings one for an intent
 */
export async function recordEventsOf(tx: Transaction, tellings: Telling[]): Promise<EventRow[]> {
  const ids = tellings.flatMap(({ subject, drafts }) => (drafts.length > 0 ? [subject.id] : []));
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
  const knownOf = Map.groupBy(known, ({ intentId }) => intentId);
  const fresh = tellings.flatMap(({ subject, drafts }) => {
    const before = knownOf.get(subject.id) ?? [];
    const last = Math.max(0, ...before.map((row) => row.sequence ?? 0));
    return untold(drafts, before).map((draft, index) => ({ ...draft, subject, sequence: last + 1 + index }));
  });
  if (fresh.length === 0) return [];
  const rows = await tx
    .insert(event)
    .values(
      fresh.map(({ subject, sequence, type, data, from, to, decidedBy }) => ({
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
      })),
    )
    .returning();
  await planDeliveries(tx, rows);
  await recordAudit(
    tx,
    fresh.map(({ subject, type, from, to, actor, data }) => ({
      ...subjectOf(subject),
      actor: actor ?? { type: "system", id: null },
      action: type,
      resourceId: data.object.object === "payment_intent" ? null : idOf(data),
      from,
      to,
    })),
  );
  return rows;
}

const idOf = ({ object }: EventData): string | null => (typeof object.id === "string" ? object.id : null);

/** One delivery for each endpoint that wants the event; the lock waits for, and then leaves out, one that is being deleted. */
async function planDeliveries(tx: Transaction, rows: EventRow[]): Promise<void> {
  const ids = sql.join(
    rows.map(({ id }) => sql`${id}`),
    sql`, `,
  );
  const { rowCount } = await tx.execute(sql`
    insert into gateway.webhook_delivery (id, merchant_id, endpoint_id, event_id, intent_id, sequence)
    select 'delivery_' || replace(gen_random_uuid()::text, '-', ''), e.merchant_id, w.id, e.id, e.intent_id, e.sequence
    from gateway.event e
    join ${webhookEndpoint} w on w.merchant_id = e.merchant_id and w.mode = e.mode and w.status = 'enabled'
      and w.enabled_events ?| array['*', e.type, split_part(e.type, '.', 1) || '.*']
    where e.id in (${ids})
    order by e.id
    for key share of w`);
  if (rowCount) await wakeDeliveries(tx);
}

/** Takes effect when the transaction does. */
export async function wakeDeliveries(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_notify(${DELIVERY_CHANNEL}, '')`);
}
