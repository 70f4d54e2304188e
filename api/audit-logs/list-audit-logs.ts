// Lists the audit log, newest first: who did what to which payment, and when. Filters: paymentIntentId, action,
// actor, created, metadata[key].
import type { Static } from "@sinclair/typebox";
import { inArray, sql } from "drizzle-orm";
import { actionsNamed } from "#core/audit/actions.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import type { Call } from "../http/request-context.ts";
import { listOwn } from "../lists/own-rows.ts";
import { createdIn, metadataIn } from "../lists/page.ts";
import { ofIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { AuditLog, ListAuditLogsQuery } from "./schemas.ts";

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

const AUDIT_LOGS = { name: "audit log", table: auditLog, tieBreak: auditLog.position };

export async function listAuditLogs(
  services: Services,
  call: Call,
  query: Static<typeof ListAuditLogsQuery>,
) {
  const { action, actor } = query;
  const where = [
    ...(await ofIntent(services, call, auditLog.intentId, query.paymentIntentId)),
    ...(action === undefined ? [] : [inArray(auditLog.action, actionsNamed(action))]),
    // Matches an actor by id, or all actors of a type.
    ...(actor === undefined ? [] : [sql`(${auditLog.actor} = ${actor} or ${auditLog.actorType} = ${actor})`]),
    ...createdIn(auditLog.createdAt, query.created),
    ...metadataIn(auditLog.metadata, query.metadata),
  ];
  return listOwn(services.database, AUDIT_LOGS, call, { query, where, show });
}
