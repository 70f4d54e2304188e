// Lists a merchant's audit log, newest first: who did what to which payment, and when. Its entries are the rows of
// `audit_log` and the events, except for UNLISTED_EVENTS. Filters: paymentIntentId, action, actor, created,
// metadata[key].
import type { Static } from "@sinclair/typebox";
import { and, eq, inArray, notInArray, type SQL, sql } from "drizzle-orm";
import { type PgTable, unionAll } from "drizzle-orm/pg-core";
import { actionsNamed, UNLISTED_EVENTS } from "#core/audit/actions.ts";
import { hashActor } from "#core/db/schema/actor-indexes.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { event } from "#core/db/schema/events.ts";
import { noSuch } from "#core/errors.ts";
import type { EventRow } from "#core/events/record-events.ts";
import { ACTOR_TYPES, type ActorType } from "#core/model/actors.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import type { Call } from "../http/request-context.ts";
import { findOwn } from "../lists/own-rows.ts";
import {
  createdIn,
  metadataIn,
  orderByPage,
  type Page,
  parsePage,
  rowsAfter,
  showPage,
} from "../lists/page.ts";
import { findNamedIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { AuditLog, ListAuditLogsQuery } from "./schemas.ts";

type Entry = Static<typeof AuditLog>;
type Query = Static<typeof ListAuditLogsQuery>;

const NAME = "audit log";

/** The tables that contain the log's entries. */
type EntryTable = typeof auditLog | typeof event;

const showRow = (row: typeof auditLog.$inferSelect): Entry => ({
  id: row.id,
  object: "audit_log",
  action: row.action,
  actor: { type: row.actorType, id: row.actor },
  merchantId: row.merchantId,
  paymentIntentId: row.intentId,
  resourceId: row.resourceId,
  from: row.fromStatus,
  to: row.toStatus,
  requestId: row.requestId,
  metadata: row.metadata,
  changes: row.changes,
  created: toUnixSeconds(row.createdAt),
});

function showEventRow({ data: { object }, ...row }: EventRow): Entry {
  const hasResource = object.object !== "payment_intent" && typeof object.id === "string";
  return {
    id: row.id,
    object: "audit_log",
    action: row.type,
    actor: { type: row.actorType ?? "system", id: row.actor },
    merchantId: row.merchantId,
    paymentIntentId: row.intentId,
    resourceId: hasResource ? String(object.id) : null,
    from: row.fromStatus,
    to: row.toStatus,
    requestId: null,
    metadata: row.metadata,
    changes: null,
    created: toUnixSeconds(row.createdAt),
  };
}

const isActorType = (text: string): text is ActorType => (ACTOR_TYPES as readonly string[]).includes(text);

/** Matches an actor by id, or all actors of a type. An id never equals the name of a type. */
function isActor(table: EntryTable, actor: string): SQL[] {
  if (!isActorType(actor))
    return [eq(table.actor, actor), sql`${hashActor(table.actor)} = ${hashActor(actor)}`];
  // The service's own events have no actor, except those that the operator's transaction has caused.
  if (actor === "system" && table === event)
    return [sql`(${event.actorType} is null or ${event.actorType} = 'system')`];
  return [eq(table.actorType, actor)];
}

/** Builds the conditions on the columns that both tables have. */
const buildFilters = (table: EntryTable, { actor, created, metadata }: Query): SQL[] => [
  ...(actor === undefined ? [] : isActor(table, actor)),
  ...createdIn(table.createdAt, created),
  ...metadataIn(table.metadata, metadata),
];

/** Builds the conditions for each table. */
async function findConditions(services: Services, call: Call, query: Query) {
  const { action, paymentIntentId: named } = query;
  const { id } = named ? (await findNamedIntent(services, call.caller, named, "paymentIntentId")).intent : {};
  const actions = action === undefined ? undefined : actionsNamed(action);
  const listed = actions?.filter((name) => !UNLISTED_EVENTS.includes(name));
  return {
    rows: [
      ...(id === undefined ? [] : [eq(auditLog.intentId, id)]),
      ...(actions === undefined ? [] : [inArray(auditLog.action, actions)]),
      ...buildFilters(auditLog, query),
    ],
    events: [
      ...(id === undefined ? [] : [eq(event.intentId, id)]),
      listed === undefined ? notInArray(event.type, [...UNLISTED_EVENTS]) : inArray(event.type, listed),
      ...buildFilters(event, query),
    ],
  };
}

/** Finds the row of a cursor. The prefix of its id determines the table. */
async function findCursorRow({ database }: Services, { caller }: Call, cursor: NonNullable<Page["cursor"]>) {
  if (!cursor.id.startsWith("evt_")) {
    return { table: auditLog, row: await findOwn(database, { name: NAME, table: auditLog }, caller, cursor) };
  }
  const row = await findOwn(database, { name: NAME, table: event }, caller, cursor);
  if (UNLISTED_EVENTS.includes(row.type)) throw noSuch(NAME, cursor.id, cursor.param);
  return { table: event, row };
}

/** Reads each table through its own index, up to the end of the page, and merges the entries. */
export async function listAuditLogs(services: Services, call: Call, query: Query) {
  const { database } = services;
  const page = parsePage(query);
  const limit = page.limit + 1;
  const conditions = await findConditions(services, call, query);
  const cursor = page.cursor && (await findCursorRow(services, call, page.cursor));
  const beyondCursor = (table: EntryTable): SQL[] => {
    if (!cursor) return [];
    const { id, createdAt, position } = cursor.table;
    return rowsAfter(page, table, table.position, cursor.row, { id, createdAt, tieBreak: position });
  };
  // The database does not guarantee that a position is unique across merchants.
  const isOwn = (table: EntryTable) =>
    and(eq(table.merchantId, call.caller.merchantId), eq(table.mode, call.caller.mode));
  const selectPage = (table: EntryTable, where: SQL[]) =>
    database
      .select({ position: table.position, createdAt: table.createdAt })
      .from(table as PgTable)
      .where(and(isOwn(table), ...where, ...beyondCursor(table)))
      .orderBy(...orderByPage(page, table.createdAt, table.position))
      .limit(limit);
  const keys = unionAll(selectPage(auditLog, conditions.rows), selectPage(event, conditions.events)).as(
    "keys",
  );
  const found = await database
    .select({ row: auditLog, event })
    .from(keys)
    .leftJoin(auditLog, and(eq(auditLog.position, keys.position), isOwn(auditLog)))
    .leftJoin(event, and(eq(event.position, keys.position), isOwn(event)))
    .orderBy(...orderByPage(page, keys.createdAt, keys.position))
    .limit(limit);
  const show = ({ row, event: emitted }: (typeof found)[number]): Entry[] =>
    row ? [showRow(row)] : emitted ? [showEventRow(emitted)] : [];
  return showPage(found.flatMap(show), page, (entry) => entry, call.url);
}
