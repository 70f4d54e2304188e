// Orders a payout again with a new call, if the provider neither answers the earlier call nor lists a transfer for it.
import { and, eq } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow, isUnclaimed } from "#core/payouts/due-now.ts";
import { earliestTransfer } from "#settlement/payouts/earliest-transfer.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import type { Controlled } from "./approve.ts";
import { note } from "./changes.ts";
import { requireAccount } from "./require-account.ts";

/** @throws UserError unless the outcome of the payout's latest call is permanently unknown */
async function findUnanswered(database: Database, id: string) {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new UsageError(`No such payout: '${id}'.`);
  const { state, providerId, declinedCalls, spentCall } = row;
  if (state !== "quarantined" || providerId !== null || spentCall !== declinedCalls + 1) {
    throw new UserError(
      `${id} is ${state}: only a quarantined payout can be ordered again, and only if the provider neither responded to its call nor lists it.`,
    );
  }
  return { ...row, spentCall };
}

/**
 * Gives a payout's next call a new idempotency key. The worker rereads the provider's list before that call. Operators
 * must have confirmed with the provider that the earlier call will never be carried out.
 */
export const reorderPayout: Controlled = {
  async describe({ database }, { subject }) {
    return { call: String((await findUnanswered(database, subject)).spentCall) };
  },

  async weigh({ database }, { subject }) {
    const { amount, currency } = await findUnanswered(database, subject);
    return { amount, currency };
  },

  async carryOut({ database, offRamps }, { subject: id, arguments: { call }, by }, finish) {
    const row = await findUnanswered(database, id);
    if (String(row.spentCall) !== call)
      throw new UserError(`${id} is waiting for call ${row.spentCall}, not ${call}.`);
    const { reference, intentId, spentCall } = row;
    const offRamp = await requireAccount(await offRamps(), row);
    if (await offRamp.lookUp(reference, { notBefore: earliestTransfer(row) })) {
      throw new UserError(`The provider has a transfer for ${id}: npm run ops -- refresh ${id} --by NAME`);
    }
    await database.transaction(async (tx) => {
      const [changed] = await tx
        .update(payout)
        .set({ declinedCalls: spentCall, spentCall: null, ...dueNow })
        .where(
          and(
            eq(payout.id, id),
            eq(payout.state, "quarantined"),
            eq(payout.spentCall, spentCall),
            isUnclaimed,
          ),
        )
        .returning({ id: payout.id });
      if (!changed) throw new UserError(`A worker has claimed ${id}: try again in a moment.`);
      await note(tx, { action: "payout.reorder", intentId, resourceId: id, by });
      await finish(tx);
    });
  },
};
