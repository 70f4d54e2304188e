// Finds a payout's provider account for a command that asks the provider.
import { findOffRamp } from "#settlement/off-ramp/accounts.ts";
import type { OffRamp, OffRamps } from "#settlement/off-ramp/off-ramp.ts";
import { UserError } from "../../shared/errors.ts";

/** @throws UserError if the account is not configured, or the adapter's error if it is not the account that it claims to be */
export async function requireAccount(
  offRamps: OffRamps,
  { id, account }: { id: string; account: string | null },
): Promise<OffRamp> {
  const offRamp = account === null ? undefined : findOffRamp(offRamps, account);
  if (!offRamp) throw new UserError(`${id} belongs to the account "${account}", which is not configured.`);
  await offRamp.verify?.();
  return offRamp;
}
