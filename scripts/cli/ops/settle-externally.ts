// Records that operators paid a merchant manually: the payout is closed, its amount is posted, and it cannot be
// retried.
import { eq, sql } from "drizzle-orm";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { formatAmount, parseAmount } from "#core/money.ts";
import { noAllocation } from "#core/payouts/no-allocation.ts";
import { nextAmounts, nextAttempt } from "#core/payouts/try-again.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import type { Asked, Controlled } from "./approve.ts";
import { note } from "./changes.ts";
import { decideClosed, describePayout, findUnpaid, type PayoutRow } from "./hold-payout.ts";
import { readReference } from "./read-reference.ts";

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/;

/** Validates the manual payment's amount, date and reference. */
function readPayment(asked: Asked, row: PayoutRow, owed: bigint) {
  const { amount = "", date = "" } = asked.arguments;
  const reference = readReference(asked, "the payment's reference");
  // If the fees of returned attempts have consumed the amount, the payout is closed with a zero amount.
  const units = owed === 0n && /^0(\.0+)?$/.test(amount) ? 0n : parseAmount(amount, row.currency);
  if (units !== owed) {
    throw new UserError(
      `${row.id} owes ${formatAmount(owed, row.currency)} ${row.currency}: --amount must be exactly that.`,
    );
  }
  const paidAt = new Date(DATE.test(date) ? date : Number.NaN);
  if (Number.isNaN(paidAt.getTime()))
    throw new UsageError("--date must be a date such as 2026-01-31 or 2026-01-31T09:00Z.");
  const day = new Date(row.settledAt).setUTCHours(0, 0, 0, 0);
  // A test network's clock may be ahead of the local one.
  const latest = Math.max(Date.now(), row.settledAt.getTime());
  if (paidAt.getTime() > latest || paidAt.getTime() < day) {
    throw new UserError(`--date must not be in the future or before ${row.settledAt.toISOString()}.`);
  }
  return { reference, paidAt };
}

export const settleExternally: Controlled = {
  describe: ({ database }, { subject }) => describePayout(database, subject),

  async weigh({ database, feeBearer }, asked) {
    const row = await findUnpaid(database, asked.subject);
    const { amount } = nextAmounts(row, feeBearer);
    readPayment(asked, row, amount);
    return { amount, currency: row.currency };
  },

  async keepUnpaid({ database, offRamps, feeBearer }, asked, store) {
    const { subject: id } = asked;
    await decideClosed(database, await offRamps(), id, "allowed", async (tx, row) => {
      readPayment(asked, row, nextAmounts(row, feeBearer).amount);
      await store(tx);
      await tx.update(payout).set({ leasedUntil: null }).where(eq(payout.id, id));
    });
  },

  async carryOut({ database, offRamps, feeBearer }, asked, finish) {
    const { subject: id, by } = asked;
    await decideClosed(database, await offRamps(), id, "allowed", async (tx, row) => {
      const { reference, paidAt } = readPayment(asked, row, nextAmounts(row, feeBearer).amount);
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
        ...{ state: "completed", externalReference: reference, completedAt: paidAt, finalAt: paidAt },
        nextAttemptAt: null,
      });
      await note(tx, { action: "payout.settle_externally", intentId, resourceId: paidId, by });
      await finish(tx);
    });
  },
};
