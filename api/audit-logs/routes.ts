// The audit log's routes.
import { Elysia } from "elysia";
import { operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { AuditLogList, listAuditLogs } from "./list-audit-logs.ts";

export function auditLogRoutes(services: Services, documented: boolean) {
  const { get } = operationsOf(services, documented);
  const list = {
    tag: "Audit log",
    summary: "List the audit log",
    answer: AuditLogList,
    errors: [400, 401, 403, 404] as (400 | 401 | 403 | 404)[],
  };
  return new Elysia({ prefix: "/audit-logs" }).get("", ...get(listAuditLogs, list));
}
