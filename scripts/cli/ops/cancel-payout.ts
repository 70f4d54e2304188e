// Calls a payout back while the provider has moved no money for it.
import { eq } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { findOffRamp } from "#settlement/offramp/accounts.ts";
import type { OffRamps } from "#settlement/offramp/off-ramp.ts";
import { UsageError, UserError } from "../../shared/errors.ts";
import { note } from "./changes.ts";

/**
 * Asks the provider to call a transfer back. The worker then sees what has become of it: a payout that was called back has
 * failed, and may be tried again.
 * @throws UserError in words for operations, when there is nothing to call back or it is too late
 */
export async function cancelPayout(
  database: Database,
  offRamps: OffRamps,
  id: string,
  by: string,
): Promise<void> {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw new UsageError(`There is no payout ${id}.`);
  const { state, reference, providerId, intentId, account } = row;
  if (state !== "submitted") {
    throw new UserError(
      `${id} is ${state}: only a payout that the provider has accepted and not carried out can be called back.`,
    );
  }
  const offRamp = account === null ? undefined : findOffRamp(offRamps, account);
  if (!offRamp)
    throw new UserError(`${id} belongs to the account "${account}", which is not configured here.`);
  await offRamp.verify?.();
  await database.transaction((tx) => note(tx, { action: "payout.cancel", intentId, resourceId: id, by }));
  const transfer = await offRamp.cancel(reference, { providerId });
  await database.update(payout).set(dueNow).where(eq(payout.id, id));
  if (transfer.state === "failed") return;
  const why =
    transfer.state === "pending" ? "the provider does not call it back any more" : `it is ${transfer.state}`;
  throw new UserError(`Too late: ${why}.`);
}
