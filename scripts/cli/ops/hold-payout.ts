// Holds a payout while operators decide about it: no worker calls the provider, and the provider is queried for its
// transfer.
import { setTimeout as delay } from "node:timers/promises";
import { and, desc, eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow, isUnclaimed } from "#core/payouts/due-now.ts";
import { findOffRamp } from "#settlement/off-ramp/accounts.ts";
import type { OffRamps, Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { earliestTransfer } from "#settlement/payouts/earliest-transfer.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { requireAccount } from "./require-account.ts";

export type PayoutRow = typeof payout.$inferSelect;

/** Longer than the provider's response and the decision take. The time to wait for calls in flight is added to it. */
const HELD_MS = 60_000;

/** Returns the payout. @throws UserError unless it is the latest attempt and not completed */
export async function findUnpaid(database: Pick<Database, "select">, id: string): Promise<PayoutRow> {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new UsageError(`No such payout: '${id}'.`);
  const [latest] = await database
    .select({ id: payout.id, attempt: payout.attempt })
    .from(payout)
    .where(
      and(
        eq(payout.intentId, row.intentId),
        eq(payout.settlementNumber, row.settlementNumber),
        eq(payout.part, row.part),
      ),
    )
    .orderBy(desc(payout.attempt))
    .limit(1);
  if (latest && latest.id !== id) {
    throw new UserError(`${id} was superseded by attempt ${latest.attempt}: ${latest.id}.`);
  }
  if (row.state === "completed") throw new UserError(`${id} is completed: nothing is owed.`);
  return row;
}

/** Returns the state that a decision about a payout depends on. */
export async function describePayout(database: Database, id: string): Promise<Record<string, string>> {
  const { state, account, wallet } = await findUnpaid(database, id);
  return { state, account: account ?? "none", wallet: wallet ?? "none" };
}

/** Leases the payout, so that no worker claims it. @returns the end of the lease, which identifies this lease */
async function hold(database: Database, id: string, ms: number): Promise<Date> {
  const [held] = await database
    .update(payout)
    .set({ leasedUntil: sql`date_trunc('milliseconds', clock_timestamp() + ${ms} * interval '1 ms')` })
    .where(and(eq(payout.id, id), isUnclaimed))
    .returning({ until: payout.leasedUntil });
  if (!held?.until) throw new UserError(`A worker is processing ${id}. Try again in half a minute.`);
  return held.until;
}

/**
 * Queries the provider for a payout's transfer, once no call with the payout's reference can still be in flight.
 * @returns undefined if the provider's complete list does not contain the payout
 */
async function askProvider(offRamps: OffRamps, row: PayoutRow): Promise<Transfer | undefined> {
  const { account, reference, providerId, state } = row;
  if (account === null) return undefined;
  // The payout is final at the provider, so nothing has to be queried.
  const isFinal = state === "failed" || state === "returned";
  if (isFinal && !findOffRamp(offRamps, account)) return undefined;
  const offRamp = await requireAccount(offRamps, row);
  if (state === "created" || state === "quarantined") await delay(offRamp.lookUpAfterMs);
  const notBefore = earliestTransfer(row);
  const known = providerId === null ? undefined : await offRamp.lookUp(reference, { providerId, notBefore });
  return known ?? offRamp.lookUp(reference, { notBefore });
}

export const isSame = (row: PayoutRow, transfer: Transfer): boolean =>
  transfer.amount === row.amount && transfer.currency === row.currency;

/** @throws UserError while the provider may still pay the payout, or if it has paid it */
function requireClosed(row: PayoutRow, transfer: Transfer | undefined, otherAmount: OtherAmount): void {
  if (!transfer) return;
  const named = `the provider's transfer ${transfer.providerId}`;
  if (transfer.state === "pending") throw new UserError(`${row.id} is still open: ${named} is pending.`);
  if (transfer.state !== "completed") return;
  if (isSame(row, transfer)) throw new UserError(`${row.id} is paid: ${named} is completed.`);
  if (otherAmount === "refused") {
    throw new UserError(
      `${row.id} is paid with a different amount: ${named} is completed. Pay the rest manually.`,
    );
  }
}

/** Whether operators may decide about a transfer that the provider completed with a different amount. */
type OtherAmount = "allowed" | "refused";

/** `transfer`: the provider's, which has ended, if there is one. */
type Decision = (tx: Transaction, row: PayoutRow, transfer: Transfer | undefined) => Promise<void>;

/**
 * Decides about a payout that will no longer be paid: the provider does not know it, or has ended it.
 * @param decide runs in one transaction with the payout's and its intent's rows locked
 * @throws UserError if the provider may still pay the payout or has paid it, and the provider's error if it does not
 * respond
 */
export async function decideClosed(
  database: Database,
  offRamps: OffRamps,
  id: string,
  otherAmount: OtherAmount,
  decide: Decision,
): Promise<void> {
  const found = await findUnpaid(database, id);
  const waitMs = found.account === null ? 0 : (findOffRamp(offRamps, found.account)?.lookUpAfterMs ?? 0);
  const until = await hold(database, id, HELD_MS + waitMs);
  const mine = and(eq(payout.id, id), eq(payout.leasedUntil, until));
  try {
    const transfer = await askProvider(offRamps, found);
    requireClosed(found, transfer, otherAmount);
    await database.transaction(async (tx) => {
      await tx.select({ id: intent.id }).from(intent).where(eq(intent.id, found.intentId)).for("update");
      const [row] = await tx.select().from(payout).where(mine).for("update");
      if (row?.state !== found.state) throw new UserError(`${id} has changed in the meantime. Try again.`);
      await decide(tx, await findUnpaid(tx, id), transfer);
    });
  } catch (error) {
    // The worker will record the provider's answer.
    const again = found.state === "failed" || found.state === "returned" ? { leasedUntil: null } : dueNow;
    await database.update(payout).set(again).where(mine);
    throw error;
  }
}
