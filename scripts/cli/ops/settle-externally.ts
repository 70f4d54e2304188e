// Records that operators paid a merchant manually: the payout is closed, its amount is posted, and it cannot be
// retried.
import { eq, sql } from "drizzle-orm";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { ServiceError } from "#core/errors.ts";
import { formatAmount, parseAmount } from "#core/money.ts";
import { noAllocation } from "#core/payouts/no-allocation.ts";
import { nextAmounts, nextAttempt } from "#core/payouts/try-again.ts";
import { createCoverageCheck } from "#settlement/payouts/check-coverage.ts";
import { planAgain } from "#settlement/payouts/plan-again.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import type { Asked, Controlled, OpsParts } from "./approve.ts";
import { note } from "./changes.ts";
import { decideClosed, describePayout, findUnpaid, type PayoutRow } from "./hold-payout.ts";
import { readReference } from "./read-reference.ts";

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/;

/** What is still to be paid for a payout. */
type Owed = {
  /** The amount of its next attempt. */
  amount: bigint;
  /** The part of it that the chain covers. A deep reorg may have removed the rest. */
  covered: bigint;
};

/**
 * Asks the chain before the payout is held and its rows are locked. Nobody can ask for a payment whose contract has been
 * replaced: it owes the full amount.
 * @throws UserError if the chain does not show yet what it covers
 */
async function findOwed(
  { database, chain, feeBearer }: OpsParts,
  { subject: id, ...asked }: Asked,
): Promise<Owed> {
  const row = await findUnpaid(database, id);
  const { amount } = nextAmounts(row, feeBearer);
  if (amount === 0n) return { amount, covered: amount };
  const [payment] = await database
    .select({ deploymentId: intent.deploymentId })
    .from(intent)
    .where(eq(intent.id, row.intentId));
  if (!payment) throw new Error("The payout's payment is not in the database.");
  const sources = await chain();
  if (payment.deploymentId !== sources.deployment.id) {
    if (asked.arguments.partial === undefined) return { amount, covered: amount };
    throw new UserError(
      `${id} must be paid in full: the gateway cannot pay the rest, because its contract was replaced.`,
    );
  }
  const next = { ...row, ...payment, amount };
  const uncovered = await createCoverageCheck(sources)([next])(next).catch((error: unknown) => {
    throw error instanceof ServiceError ? new UserError(error.message) : error;
  });
  if (!uncovered) return { amount, covered: amount };
  const { problem, covered } = uncovered;
  if (covered === undefined) {
    throw new UserError(`The chain does not show yet whether it covers ${id}. Try again later. (${problem})`);
  }
  return { amount, covered };
}

/** Validates the paid amount: exactly what is owed or, only if the operator says so, a part of it. */
function readAmount(
  { amount = "", partial }: Asked["arguments"],
  { id, currency }: PayoutRow,
  { amount: total, covered: owed }: Owed,
): bigint {
  // If the fees of returned attempts have consumed the amount, or the chain covers none of it, the payout is closed with
  // a zero amount.
  const units = owed === 0n && /^0(\.0+)?$/.test(amount) ? 0n : parseAmount(amount, currency);
  if (units === owed) return owed;
  const isPart = typeof units === "bigint" && units < owed;
  if (isPart && partial !== undefined) return units;
  const named = `${formatAmount(owed, currency)} ${currency}`;
  const reason = owed < total ? `The chain covers only ${named} of ${id}` : `${id} owes ${named}`;
  const hint = isPart ? " With --partial, the gateway pays the rest." : "";
  throw new UserError(`${reason}: --amount must be exactly that.${hint}`);
}

/** Validates the manual payment's amount, date and reference. */
function readPayment(asked: Asked, row: PayoutRow, owed: Owed) {
  const { date = "" } = asked.arguments;
  const reference = readReference(asked, "the payment's reference");
  const amount = readAmount(asked.arguments, row, owed);
  const paidAt = new Date(DATE.test(date) ? date : Number.NaN);
  if (Number.isNaN(paidAt.getTime()))
    throw new UsageError("--date must be a date such as 2026-01-31 or 2026-01-31T09:00Z.");
  const day = new Date(row.settledAt).setUTCHours(0, 0, 0, 0);
  // A test network's clock may be ahead of the local one.
  const latest = Math.max(Date.now(), row.settledAt.getTime());
  if (paidAt.getTime() > latest || paidAt.getTime() < day) {
    throw new UserError(`--date must not be in the future or before ${row.settledAt.toISOString()}.`);
  }
  return { reference, amount, paidAt };
}

/** @throws UserError if the amount of the next attempt has changed since the chain was asked */
function requireOwed({ feeBearer }: OpsParts, row: PayoutRow, { amount }: Owed): void {
  if (nextAmounts(row, feeBearer).amount === amount) return;
  throw new UserError(`${row.id} has changed in the meantime. Try again.`);
}

export const settleExternally: Controlled = {
  describe: ({ database }, { subject }) => describePayout(database, subject),

  async weigh(parts, asked) {
    const owed = await findOwed(parts, asked);
    const row = await findUnpaid(parts.database, asked.subject);
    const { amount } = readPayment(asked, row, owed);
    return { amount, currency: row.currency };
  },

  async keepUnpaid(parts, asked, store) {
    const { database, offRamps } = parts;
    const { subject: id } = asked;
    const owed = await findOwed(parts, asked);
    await decideClosed(database, await offRamps(), id, "allowed", async (tx, row) => {
      requireOwed(parts, row, owed);
      readPayment(asked, row, owed);
      await store(tx);
      await tx.update(payout).set({ leasedUntil: null }).where(eq(payout.id, id));
    });
  },

  async carryOut(parts, asked, finish) {
    const { database, offRamps, feeBearer } = parts;
    const { subject: id, by } = asked;
    const owed = await findOwed(parts, asked);
    await decideClosed(database, await offRamps(), id, "allowed", async (tx, row) => {
      requireOwed(parts, row, owed);
      const { reference, amount, paidAt } = readPayment(asked, row, owed);
      const [current] = await tx.select().from(deployment).where(eq(deployment.current, true));
      if (!current) throw new Error("No deployment is current.");
      await tx
        .update(payout)
        .set({
          ...(row.state === "returned" ? {} : { state: "failed", failure: row.failure ?? "paid outside" }),
          ...{ nextAttemptAt: null, leasedUntil: null, blocked: null, updatedAt: sql`clock_timestamp()` },
          ...noAllocation,
          retried: true,
        })
        .where(eq(payout.id, id));
      const next = nextAttempt(row, current, feeBearer);
      const { intentId, id: paidId } = next;
      await tx.insert(payout).values({
        ...next,
        amount,
        ...{ state: "completed", externalReference: reference, completedAt: paidAt, finalAt: paidAt },
        nextAttemptAt: null,
      });
      await note(tx, { action: "payout.settle_externally", intentId, resourceId: paidId, by });
      if (amount < owed.amount) await planAgain(tx, current.id, row);
      await finish(tx);
    });
  },
};
