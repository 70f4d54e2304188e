// The audit log's operation.
import { resourceMissing } from "#core/errors.ts";
import { get, type Operation } from "../http/operation.ts";
import { BAD_LIMIT, OF_MISSING_INTENT } from "../http/refusals.ts";
import { listAuditLogs } from "./list-audit-logs.ts";
import { AuditLogList, ListAuditLogsQuery } from "./schemas.ts";

export const auditLogOperations: Operation[] = [
  get("/audit-logs", listAuditLogs, {
    tag: "Audit log",
    id: "listAuditLogs",
    summary: "List the audit log",
    query: ListAuditLogsQuery,
    answer: AuditLogList,
    refusals: [
      BAD_LIMIT,
      resourceMissing("There is no audit log 'audit_…'.", "starting_after"),
      OF_MISSING_INTENT,
    ],
  }),
];
