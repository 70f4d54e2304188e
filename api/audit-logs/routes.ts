// The audit log operation.
import { Elysia } from "elysia";
import { noSuch } from "#core/errors.ts";
import { answers, queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { listRefusals, OF_MISSING_INTENT } from "../lists/documented-errors.ts";
import { listAuditLogs } from "./list-audit-logs.ts";
import { AuditLogList, ListAuditLogsQuery } from "./schemas.ts";

export const auditLogRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/audit-logs", async ({ services, call, query }) => listAuditLogs(services, call, query), {
      access: { permission: "read" },
      ...queried(ListAuditLogsQuery),
      response: answers(AuditLogList, [
        ...listRefusals((param) => noSuch("audit log", "audit_…", param)),
        OF_MISSING_INTENT,
      ]),
      detail: {
        operationId: "listAuditLogs",
        tags: ["Audit log"],
        summary: "List the audit log",
        description: "Returns who did what to which payment, newest first.",
      },
    });
