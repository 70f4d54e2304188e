// Approves a payout that waits because the hourly limit was reached.
import { eq } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { UserError } from "../../shared/errors.ts";
import type { Controlled } from "./approve.ts";
import { note } from "./changes.ts";
import { describePayout, findUnpaid } from "./hold-payout.ts";

async function findHeld(database: Pick<Database, "select">, id: string) {
  const row = await findUnpaid(database, id);
  if (row.heldSince === null || row.approvedBy !== null)
    throw new UserError(`${id} is not waiting for approval.`);
  return row;
}

export const allowPayout: Controlled = {
  describe: ({ database }, { subject }) => describePayout(database, subject),

  async weigh({ database }, { subject }) {
    const { amount, currency } = await findHeld(database, subject);
    return { amount, currency };
  },

  async carryOut({ database }, { subject: id, by }, finish) {
    await database.transaction(async (tx) => {
      const { intentId } = await findHeld(tx, id);
      await tx
        .update(payout)
        .set({ approvedBy: by, nextAttemptAt: dueNow.nextAttemptAt })
        .where(eq(payout.id, id));
      await note(tx, { action: "payout.allow", intentId, resourceId: id, by });
      await finish(tx);
    });
  },
};
