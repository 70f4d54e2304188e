// Fails a payout that its provider neither knows nor accepts, so that it can be retried or paid manually.
import { eq, sql } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import { releasedFunds } from "#core/payouts/released-funds.ts";
import { UserError } from "../../shared/errors.ts";
import type { Controlled } from "./approve.ts";
import { note } from "./changes.ts";
import { decideClosed, describePayout, findUnpaid } from "./hold-payout.ts";

const OPEN = ["created", "submitted", "quarantined"];

export const failPayout: Controlled = {
  describe: ({ database }, { subject }) => describePayout(database, subject),

  async weigh({ database }, { subject }) {
    const { id, state, amount, currency } = await findUnpaid(database, subject);
    if (!OPEN.includes(state)) throw new UserError(`${id} is already ${state}.`);
    return { amount, currency };
  },

  async carryOut({ database, offRamps }, { subject: id, by }, finish) {
    await decideClosed(database, await offRamps(), id, "refused", async (tx, { intentId }) => {
      await tx
        .update(payout)
        .set({
          ...{ state: "failed", failure: "not made by the provider", blocked: null },
          ...{ nextAttemptAt: null, leasedUntil: null, updatedAt: sql`clock_timestamp()` },
          ...releasedFunds,
        })
        .where(eq(payout.id, id));
      await note(tx, { action: "payout.fail", intentId, resourceId: id, by });
      await finish(tx);
    });
  },
};
