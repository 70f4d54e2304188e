// Records an operation in the audit log, in the transaction that applies the operation's changes. It is called by
// `call.answer`, through which operations of the public API that make changes respond. Exception: the creation of an
// intent without an Idempotency-Key inserts the entry of `buildCreationEntry` together with the intent.
import { sql } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { AuditAction } from "#core/audit/actions.ts";
import type { Actor, AuditEntry } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { columnNames } from "#core/db/column-names.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { intent } from "#core/db/schema/intents.ts";
import { type IntentId, newId } from "#core/ids.ts";
import type { Changes } from "#core/model/changes.ts";

/** The fields of a new intent that its audit log entry contains. */
export type New = { id: string; status: string; metadata?: Record<string, unknown> };

/** The part of a request that the entry contains or depends on. `params` are the path parameters. */
type Operation = {
  params: Record<string, string | null>;
  caller?: Caller;
  action?: AuditAction;
  body: Record<string, unknown>;
};

type Answer = { object?: unknown; id?: unknown; status?: unknown };

const toText = (value: unknown): string | null => (typeof value === "string" ? value : null);

export const buildActor = ({ isUser, keyId }: Caller): Actor => ({
  type: isUser ? "user" : "api_key",
  id: keyId,
});

/** Builds the entry of an operation that creates an intent. Unlike `recordOperation`, it needs no query. */
export const buildCreationEntry = (
  { caller, requestId, action }: { caller: Caller; requestId: string | null; action: AuditAction },
  answer: New,
): AuditEntry => ({
  merchantId: caller.merchantId,
  mode: caller.mode,
  actor: buildActor(caller),
  action,
  intentId: answer.id as IntentId,
  to: answer.status,
  requestId,
  metadata: answer.metadata ?? {},
});

const names = columnNames(auditLog);

/** Records nothing for routes without an action, such as API key operations, which core/api-keys records. */
export async function recordOperation(
  tx: Transaction,
  { params, caller, action, body }: Operation,
  requestId: string | null,
  answer: Answer,
  changes?: Changes,
): Promise<void> {
  if (action === undefined) return;
  const isIntent = answer.object === "payment_intent";
  const intentId = params.intentId ?? (isIntent ? toText(answer.id) : null);
  const storedId = intentId === null ? null : intent.id.mapToDriverValue(intentId);
  const resourceId =
    params.deliveryId ?? params.milestoneId ?? params.endpointId ?? (isIntent ? null : toText(answer.id));
  // Payers need no key. Their address comes from the body; reports of a transaction hash contain none.
  const actor = caller ? caller.keyId : toText(body.payerAddress);
  const isNew = isIntent && params.intentId === undefined;
  await tx.execute(sql`
    insert into ${auditLog} (${names.id}, ${names.merchantId}, ${names.mode}, ${names.actorType}, ${names.actor},
      ${names.action}, ${names.intentId}, ${names.resourceId}, ${names.fromStatus}, ${names.toStatus},
      ${names.requestId}, ${names.metadata}, ${names.changes})
    select ${sql.param(newId("audit"), auditLog.id)}, coalesce(${intent.merchantId}, ${sql.param(caller?.merchantId ?? null, auditLog.merchantId)}::bytea),
      coalesce(${intent.mode}, ${caller?.mode ?? null}::text), ${caller ? buildActor(caller).type : "payer"}, ${actor}::text,
      ${action}, ${storedId}::bytea, ${resourceId}::text,
      case when ${isIntent && !isNew} then ${intent.lastEmittedStatus} end, ${isIntent ? toText(answer.status) : null}::text,
      ${requestId}::text, coalesce(${intent.metadata}, '{}'::jsonb),
      ${changes === undefined ? null : JSON.stringify(changes)}::jsonb
    from (select 1) one left join ${intent} on ${intent.id} = ${storedId}::bytea`);
}
