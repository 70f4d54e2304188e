// List the audit log, newest first: who did what to which payment, when. Filters: paymentIntentId, action, actor, created,
// metadata[key].
import type { Static } from "@sinclair/typebox";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { forbidden, resourceMissing } from "#core/errors.ts";
import type { Call } from "../http/call.ts";
import { beside, createdIn, inOrderOf, metadataIn, type Page, pageIn, showPage } from "../http/page.ts";
import { parseQuery } from "../http/query.ts";
import { findIntentOf } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { type AuditLog, type AuditLogList, ListAuditLogsQuery } from "./schemas.ts";

const show = (row: typeof auditLog.$inferSelect): Static<typeof AuditLog> => ({
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
  created: Math.floor(row.createdAt.getTime() / 1000),
});

async function besideCursor({ database }: Services, { caller }: Call, page: Page): Promise<SQL[]> {
  if (!page.cursor) return [];
  const { id, param } = page.cursor;
  const [row] = await database.select().from(auditLog).where(eq(auditLog.id, id));
  if (!row) throw resourceMissing(`There is no audit log '${id.slice(0, 100)}'.`, param);
  if (row.merchantId !== caller.merchantId || row.mode !== caller.mode) {
    throw forbidden("This audit log belongs to another account or mode.");
  }
  return beside(page, auditLog, auditLog.position, row);
}

async function ofIntent(services: Services, { caller }: Call, id: string | undefined): Promise<SQL[]> {
  if (id === undefined) return [];
  const { intent } = await findIntentOf(services, caller, id, "paymentIntentId");
  return [eq(auditLog.intentId, intent.id)];
}

export async function listAuditLogs(services: Services, call: Call): Promise<Static<typeof AuditLogList>> {
  const { caller, url } = call;
  const query = parseQuery(url.searchParams, ListAuditLogsQuery);
  const { paymentIntentId, action, actor } = query.fields;
  const page = pageIn(query);
  const where = [
    eq(auditLog.merchantId, caller.merchantId),
    eq(auditLog.mode, caller.mode),
    ...(await besideCursor(services, call, page)),
    ...(await ofIntent(services, call, paymentIntentId)),
    ...(action === undefined ? [] : [eq(auditLog.action, action)]),
    // By its id, or all of a kind.
    ...(actor === undefined ? [] : [sql`(${auditLog.actor} = ${actor} or ${auditLog.actorType} = ${actor})`]),
    ...createdIn(auditLog.createdAt, query),
    ...metadataIn(auditLog.metadata, query),
  ];
  const rows = await services.database
    .select()
    .from(auditLog)
    .where(and(...where))
    .orderBy(...inOrderOf(page, auditLog.createdAt, auditLog.position))
    .limit(page.limit + 1);
  return showPage(rows, page, show, url);
}
