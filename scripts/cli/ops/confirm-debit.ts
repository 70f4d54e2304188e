// Frees the funds of a payout whose provider has debited the wallet, but does not report it: until then, the newest
// payouts of the wallet wait for that amount (docs/decisions/0030-allocated-funds.md).
import { and, eq } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { findOffRamp } from "#settlement/off-ramp/accounts.ts";
import type { OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import type { Controlled } from "./approve.ts";
import { note } from "./changes.ts";

/** @throws UserError unless the payout's funds count as still being in its wallet */
async function findNotDebited(database: Pick<Database, "select">, id: string) {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new UsageError(`No such payout: '${id}'.`);
  if (!row.awaitsFunds) throw new UserError(`${id} is not waiting for a debit by its provider.`);
  return row;
}

/** @throws UserError unless the transfer is pending, and the provider does not report whether it has debited it */
async function requireSilence(
  offRamps: OffRamps,
  { id, account, reference, providerId }: typeof payout.$inferSelect,
): Promise<void> {
  const offRamp = account === null ? undefined : findOffRamp(offRamps, account);
  if (!offRamp) throw new UserError(`${id} belongs to the account "${account}", which is not configured.`);
  await offRamp.verify?.();
  const transfer = await offRamp.lookUp(reference, { providerId });
  if (!transfer) throw new UserError(`The provider does not find the transfer of ${id}.`);
  if (transfer.awaitsFunds === true) {
    throw new UserError(`The provider reports that it has not debited the wallet for ${id}.`);
  }
  if (transfer.state !== "pending" || transfer.awaitsFunds === false) {
    throw new UserError(`The provider reports more about ${id}: npm run ops -- refresh ${id} --by NAME`);
  }
}

/** Operators must have confirmed with the provider that it has debited the wallet. */
export const confirmDebit: Controlled = {
  async describe({ database }, { subject }) {
    const { state, account, providerId } = await findNotDebited(database, subject);
    return { state, account: account ?? "none", transfer: providerId ?? "none" };
  },

  async weigh({ database }, { subject }) {
    const { amount, currency } = await findNotDebited(database, subject);
    return { amount, currency };
  },

  async carryOut({ database, offRamps }, { subject: id, by }, finish) {
    const row = await findNotDebited(database, id);
    await requireSilence(await offRamps(), row);
    await database.transaction(async (tx) => {
      const [changed] = await tx
        .update(payout)
        .set({ awaitsFunds: false, ...dueNow })
        .where(and(eq(payout.id, id), eq(payout.state, row.state), eq(payout.awaitsFunds, true)))
        .returning({ id: payout.id });
      if (!changed) throw new UserError(`${id} has changed in the meantime. Try again.`);
      await note(tx, { action: "payout.confirm_debit", intentId: row.intentId, resourceId: id, by });
      await finish(tx);
    });
  },
};
