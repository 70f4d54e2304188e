// Fails a payout that its provider neither knows nor accepts, so that it can be retried or paid manually.
import { eq, sql } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import { noAllocation } from "#core/payouts/no-allocation.ts";
import type { Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { UserError } from "../../shared/errors.ts";
import type { Controlled } from "./approve.ts";
import { note } from "./changes.ts";
import { decideClosed, describePayout, findUnpaid, isSame, type PayoutRow } from "./hold-payout.ts";

const OPEN = ["created", "submitted", "quarantined"];

/** Returns what a worker would store of an ended transfer. A different amount is not what was ordered, so only the funds count. */
function readEnded(row: PayoutRow, transfer: Transfer | undefined) {
  const failed = { state: "failed", failure: "not made by the provider" } as const;
  if (!transfer) return failed;
  const { providerId, refunded = null, state, failure, fee, gas = 0n } = transfer;
  // The record of the call may be lost, but the provider has received it.
  const known = { providerId, refunded, calledAt: row.calledAt ?? transfer.createdAt };
  if (!isSame(row, transfer) || (state !== "failed" && state !== "returned")) return { ...failed, ...known };
  const completedAt = transfer.completedAt ?? row.completedAt;
  return { ...known, state, failure: failure ?? failed.failure, fee, gas, completedAt };
}

export const failPayout: Controlled = {
  describe: ({ database }, { subject }) => describePayout(database, subject),

  async weigh({ database }, { subject }) {
    const { id, state, amount, currency } = await findUnpaid(database, subject);
    if (!OPEN.includes(state)) throw new UserError(`${id} is already ${state}.`);
    return { amount, currency };
  },

  async carryOut({ database, offRamps }, { subject: id, by }, finish) {
    await decideClosed(database, await offRamps(), id, "refused", async (tx, row, transfer) => {
      const { intentId } = row;
      await tx
        .update(payout)
        .set({
          ...readEnded(row, transfer),
          ...{ blocked: null, nextAttemptAt: null, leasedUntil: null, updatedAt: sql`clock_timestamp()` },
          ...noAllocation,
        })
        .where(eq(payout.id, id));
      await note(tx, { action: "payout.fail", intentId, resourceId: id, by });
      await finish(tx);
    });
  },
};
