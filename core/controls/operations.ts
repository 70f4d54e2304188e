// Operations that people carry out. Each operation is stored and audited. An operation above a limit waits for a second
// named person.
import { and, eq, isNull, sql } from "drizzle-orm";
import { byOperations, recordAudit } from "../audit/record-audit.ts";
import type { Transaction } from "../db/client.ts";
import { operation } from "../db/schema/operations.ts";

type Requested = Pick<
  typeof operation.$inferInsert,
  "action" | "subject" | "arguments" | "amount" | "currency"
>;

/** The largest value of the id column. */
const LAST_ID = 2 ** 31 - 1;

/** @param id any number, because a person types it */
export const isWaiting = (id: number) =>
  Number.isInteger(id) && id > 0 && id <= LAST_ID
    ? and(eq(operation.id, id), isNull(operation.outcome))
    : sql`false`;

const audit = (tx: Transaction, by: string, verb: string, id: number) =>
  recordAudit(tx, [{ ...byOperations(by), action: `operation.${verb}`, resourceId: String(id) }]);

/** The same operation has already been requested and is waiting. */
export class AlreadyWaitingError extends Error {
  override readonly name = "AlreadyWaitingError";
}

/**
 * Settlement outside the gateway. An operator has paid or is about to pay, so no other payment may be made while the
 * operation waits.
 */
export const SETTLE_EXTERNALLY = "settle-externally";

/** @returns the operation's id. @throws AlreadyWaitingError */
export async function storeOperation(
  tx: Transaction,
  requested: Requested,
  { by, waits }: { by: string; waits: boolean },
): Promise<number> {
  const [row] = await tx
    .insert(operation)
    .values({
      ...{ ...requested, requestedBy: by.trim() },
      ...(waits ? {} : { outcome: "done", decidedAt: sql`clock_timestamp()` }),
    })
    .onConflictDoNothing()
    .returning({ id: operation.id });
  if (!row) {
    const { action, subject } = requested;
    throw new AlreadyWaitingError(
      `${action} ${subject} is already pending approval by a second person. Approve it, or refuse it and request it again.`,
    );
  }
  const { id } = row;
  await audit(tx, by, waits ? "requested" : "done", id);
  return id;
}

/** @returns whether the operation was waiting */
export async function decideOperation(
  tx: Transaction,
  id: number,
  { by, outcome }: { by: string; outcome: "done" | "refused" },
): Promise<boolean> {
  const decided = await tx
    .update(operation)
    .set({
      ...{ decidedBy: by.trim(), decidedLogin: sql`session_user`, outcome },
      decidedAt: sql`clock_timestamp()`,
    })
    .where(isWaiting(id))
    .returning({ id: operation.id });
  if (decided.length === 0) return false;
  await audit(tx, by, outcome === "done" ? "approved" : "refused", id);
  return true;
}
