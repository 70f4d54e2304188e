// The position of an entry of the audit log. Rows of `audit_log` and of `event` share one sequence.
import { sql } from "drizzle-orm";
import { bigint } from "drizzle-orm/pg-core";
import { gatewaySchema } from "./gateway-schema.ts";

export const auditPositions = gatewaySchema.sequence("audit_log_position_seq");

/**
 * Its default gives the transaction an id before the row takes its position, so that the sealer knows the transaction
 * as running (settlement/events/audit-hash-chain.ts). A CASE evaluates its condition first.
 */
export const auditPosition = () =>
  bigint({ mode: "number" })
    .notNull()
    .default(
      sql`case when pg_current_xact_id() is not null then nextval('gateway.audit_log_position_seq') end`,
    );
