// Adds rows to the audit log, in the transaction of what they tell. No bank details and no secrets: only what is listed.
import type { SQL } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { insertMany } from "../db/insert-many.ts";
import { auditLog } from "../db/schema/audit-log.ts";
import type { Mode } from "../db/schema/gateway.ts";
import { type IntentId, newId } from "../ids.ts";
import type { ActorType } from "./actors.ts";
import type { Changes } from "./changes.ts";

/** A key by its id, or an account by its address; null for the service itself. */
export type Actor = { type: ActorType; id: string | null };

export type AuditEntry = {
  merchantId: string | null;
  mode: Mode | null;
  actor: Actor;
  /** `object.verb`: a merchant's are in `AUDIT_ACTIONS`, besides those of operations. */
  action: string;
  intentId?: IntentId | null;
  /** What else it was done to. */
  resourceId?: string | null;
  from?: string | null | undefined;
  to?: string | null | undefined;
  requestId?: string | null;
  /** The intent's. */
  metadata?: Record<string, unknown>;
  changes?: Changes;
};

/** What an entry says of the intent that it is about. */
export const subjectOf = (intent: {
  id: IntentId;
  merchantId: string;
  mode: Mode;
  metadata: Record<string, unknown>;
}) => ({
  merchantId: intent.merchantId,
  mode: intent.mode,
  intentId: intent.id,
  metadata: intent.metadata,
});

/** What an entry says of an operator's decision that concerns no merchant. */
export const byOperations = (by: string) =>
  ({ merchantId: null, mode: null, actor: { type: "operations", id: by } }) as const;

const insertAudit = insertMany(auditLog, [
  "id",
  "merchantId",
  "mode",
  "actorType",
  "actor",
  "action",
  "intentId",
  "resourceId",
  "fromStatus",
  "toStatus",
  "requestId",
  "metadata",
  "changes",
]);

/** The statement that adds entries, to be executed or to be part of another. */
export const auditInsert = (entries: AuditEntry[]): SQL =>
  insertAudit(
    entries.map(({ actor, from, to, metadata = {}, ...entry }) => ({
      ...entry,
      metadata,
      id: newId("audit"),
      actorType: actor.type,
      actor: actor.id,
      fromStatus: from ?? null,
      toStatus: to ?? null,
    })),
  );

export async function recordAudit(tx: Transaction, entries: AuditEntry[]): Promise<void> {
  if (entries.length > 0) await tx.execute(auditInsert(entries));
}
