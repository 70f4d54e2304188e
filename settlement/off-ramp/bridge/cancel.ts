import type { Known, Transfer } from "../off-ramp.ts";
import { ApiError } from "./api.ts";

/**
 * Asks the provider to cancel a pending transfer.
 * @returns the transfer's resulting state: the provider may refuse because it is too late
 * @throws Error if the provider does not have the transfer
 */
export async function cancelPending(
  transfer: Transfer | undefined,
  send: (providerId: string) => Promise<unknown>,
  lookUp: (known: Known) => Promise<Transfer | undefined>,
): Promise<Transfer> {
  if (!transfer) throw new Error("The provider has no such transfer.");
  const { state, providerId } = transfer;
  if (state !== "pending") return transfer;
  try {
    await send(providerId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
  return (await lookUp({ providerId })) ?? transfer;
}
