// Cancels a payout, if the provider has not moved any money for it yet.
import { and, eq } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { OffRamps, Transfer } from "#settlement/off-ramp/off-ramp.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { note } from "./changes.ts";
import { requireAccount } from "./require-account.ts";

/** Explains why the transfer is not canceled. */
function explain({ state, failure }: Transfer): string {
  const reason = failure === null ? "" : ` (${failure})`;
  if (state === "failed") return `Not canceled: it has failed for another reason${reason}.`;
  return `Too late: ${state === "pending" ? "the provider no longer cancels it" : `it is ${state}`}${reason}.`;
}

/**
 * Asks the provider to cancel a transfer, and makes the payout due, so that a worker records the result. A canceled
 * payout becomes `failed`, and can be retried.
 * @throws UserError if the payout is in another state, its account is not configured, or its transfer is not canceled
 */
export async function cancelPayout(
  database: Database,
  offRamps: OffRamps,
  id: string,
  by: string,
): Promise<void> {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new UsageError(`No such payout: '${id}'.`);
  const { state, reference, providerId, intentId } = row;
  if (state !== "submitted") {
    throw new UserError(
      `${id} is ${state}: only a payout that the provider has accepted but not paid can be canceled.`,
    );
  }
  const offRamp = await requireAccount(offRamps, row);
  await database.transaction((tx) => note(tx, { action: "payout.cancel", intentId, resourceId: id, by }));
  const transfer = await offRamp
    .cancel(reference, { providerId })
    // A worker may have recorded the end of the payout in the meantime. It must not be polled again.
    .finally(() =>
      database
        .update(payout)
        .set(dueNow)
        .where(and(eq(payout.id, id), eq(payout.state, "submitted"))),
    );
  if (!transfer.canceled) throw new UserError(explain(transfer));
}
