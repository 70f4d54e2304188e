// Adds rows to the audit log in the transaction of the change that they record. Only the listed fields are recorded,
// never bank details or secrets.
import type { SQL } from "drizzle-orm";
import type { Transaction } from "../db/client.ts";
import { insertMany } from "../db/insert-many.ts";
import { auditLog } from "../db/schema/audit-log.ts";
import { type IntentId, newId } from "../ids.ts";
import type { ActorType } from "../model/actors.ts";
import type { Changes } from "../model/changes.ts";
import type { Mode } from "../model/mode.ts";

/**
 * The id of a key or the address of an account; null for the service itself, for keys and users that are changed on the
 * command line, and for a payer who reports a transaction.
 */
export type Actor = { type: ActorType; id: string | null };

export type AuditEntry = {
  merchantId: string | null;
  mode: Mode | null;
  actor: Actor;
  /**
   * The name of the action, `object.verb`. Apart from operators' actions, a merchant's actions are those in
   * `AUDIT_ACTIONS`.
   */
  action: string;
  intentId?: IntentId | null;
  /** The object that the action concerns, in addition to the intent. */
  resourceId?: string | null;
  from?: string | null | undefined;
  to?: string | null | undefined;
  requestId?: string | null;
  /** The intent's metadata. */
  metadata?: Record<string, unknown>;
  changes?: Changes;
};

/** The fields that an entry takes from its intent. */
export const buildSubject = (intent: {
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

/** The fields of an entry about an operator's decision that concerns no merchant. */
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

/** Builds the statement that inserts entries. It can be executed directly or embedded in another statement. */
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
