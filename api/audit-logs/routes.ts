// The audit log's operation.
import { Elysia } from "elysia";
import { resourceMissing } from "#core/errors.ts";
import { answer, describe } from "../http/describe.ts";
import type { Gateway } from "../http/gateway.ts";
import { listRefusals, OF_MISSING_INTENT } from "../http/refusals.ts";
import { listAuditLogs } from "./list-audit-logs.ts";
import { AuditLogList, ListAuditLogsQuery } from "./schemas.ts";

export const auditLogRoutes = (shared: Gateway) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get("/audit-logs", async ({ network, call }) => listAuditLogs(network, call), {
      access: { permission: "read" },
      response: answer(AuditLogList),
      detail: describe({
        id: "listAuditLogs",
        tag: "Audit log",
        summary: "List the audit log",
        description: "Who did what to which payment, newest first.",
        query: ListAuditLogsQuery,
        refusals: [
          ...listRefusals((param) => resourceMissing("There is no audit log 'audit_…'.", param)),
          OF_MISSING_INTENT,
        ],
      }),
    });
