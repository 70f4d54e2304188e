import type { Known, Transfer } from "../off-ramp.ts";
import { ApiError } from "./api.ts";

/** The statuses with which a provider rejects the cancellation of a transfer because of its state. */
const REJECTIONS: readonly number[] = [400, 404, 409, 422];

/**
 * Asks the provider to cancel a pending transfer.
 * @returns the transfer's resulting state: `pending` if the provider no longer cancels it
 * @throws Error if the provider does not have the transfer
 * @throws ApiError if the provider could not process the request, and the transfer is still pending
 */
export async function cancelPending(
  transfer: Transfer | undefined,
  send: (providerId: string) => Promise<unknown>,
  lookUp: (known: Known) => Promise<Transfer | undefined>,
): Promise<Transfer> {
  if (!transfer) throw new Error("The provider has no such transfer.");
  const { state, providerId } = transfer;
  if (state !== "pending") return transfer;
  let rejection: ApiError | undefined;
  try {
    await send(providerId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    rejection = error;
  }
  // The provider may have canceled the transfer although the call failed.
  const result = (await lookUp({ providerId })) ?? transfer;
  if (rejection && result.state === "pending" && !REJECTIONS.includes(rejection.status)) throw rejection;
  return result;
}
