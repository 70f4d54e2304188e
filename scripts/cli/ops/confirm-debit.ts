// Frees the funds of a payout whose provider has debited the wallet, but does not report it: until then, the newest
// payouts of the wallet wait for that amount (docs/decisions/0030-allocated-funds.md).
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow, isUnclaimed } from "#core/payouts/due-now.ts";
import type { OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import type { Asked, Controlled } from "./approve.ts";
import { note } from "./changes.ts";
import { readReference } from "./read-reference.ts";
import { requireAccount } from "./require-account.ts";

type PayoutRow = typeof payout.$inferSelect;

/** @throws UserError unless the payout's funds count as still being in its wallet */
async function findNotDebited(database: Pick<Database, "select">, id: string) {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new UsageError(`No such payout: '${id}'.`);
  if (!row.awaitsFunds) throw new UserError(`${id} is not waiting for a debit by its provider.`);
  return row;
}

/** @throws UserError unless the transfer is pending, and the provider does not report whether it has debited it */
async function requireSilence(offRamps: OffRamps, row: PayoutRow): Promise<void> {
  const { id, reference, providerId } = row;
  const offRamp = await requireAccount(offRamps, row);
  const transfer = await offRamp.lookUp(reference, { providerId });
  if (!transfer) throw new UserError(`The provider does not find the transfer of ${id}.`);
  if (transfer.awaitsFunds === true) {
    throw new UserError(`The provider reports that it has not debited the wallet for ${id}.`);
  }
  if (transfer.state !== "pending" || transfer.awaitsFunds === false) {
    throw new UserError(`The provider reports more about ${id}: npm run ops -- refresh ${id} --by NAME`);
  }
}

const readEvidence = (asked: Asked): string =>
  readReference(asked, "the transaction that debited the wallet, or the provider's written confirmation");

/** Whether no worker has recorded a report since the row was read. */
const isUnchanged = ({ id, state, nextAttemptAt }: PayoutRow) =>
  and(
    eq(payout.id, id),
    eq(payout.state, state),
    eq(payout.awaitsFunds, true),
    sql`date_trunc('milliseconds', ${payout.nextAttemptAt}) is not distinct from ${sql.param(nextAttemptAt, payout.nextAttemptAt)}`,
    isUnclaimed,
  );

/** Operators must have confirmed with the provider that it has debited the wallet, and give the evidence for it. */
export const confirmDebit: Controlled = {
  async describe({ database }, { subject }) {
    const { state, account, providerId } = await findNotDebited(database, subject);
    return { state, account: account ?? "none", transfer: providerId ?? "none" };
  },

  async weigh({ database }, asked) {
    readEvidence(asked);
    const { amount, currency } = await findNotDebited(database, asked.subject);
    return { amount, currency };
  },

  async carryOut({ database, offRamps }, asked, finish) {
    const { subject: id, by } = asked;
    const reference = readEvidence(asked);
    const row = await findNotDebited(database, id);
    await requireSilence(await offRamps(), row);
    await database.transaction(async (tx) => {
      const [changed] = await tx
        .update(payout)
        .set({ awaitsFunds: false, ...dueNow })
        .where(isUnchanged(row))
        .returning({ id: payout.id });
      if (!changed)
        throw new UserError(`A worker is polling ${id}, or has polled it in the meantime. Try again.`);
      const changes = { debitReference: { from: null, to: reference } };
      await note(tx, {
        ...{ action: "payout.confirm_debit", intentId: row.intentId, resourceId: id, by },
        changes,
      });
      await finish(tx);
    });
  },
};
