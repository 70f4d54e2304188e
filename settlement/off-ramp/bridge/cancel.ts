import type { Known, Transfer } from "../off-ramp.ts";
import { ApiError } from "./api.ts";

/**
 * Whether the provider rejects the cancellation because of the transfer's state. A repeated key or an unknown path says
 * nothing about the transfer.
 */
const isTooLate = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 409) && !error.isRepeat;

/**
 * Asks the provider to cancel a pending transfer.
 * @returns the transfer's resulting state: `pending` if the provider no longer cancels it
 * @throws Error if the provider does not have the transfer, or still reports it as pending for another reason
 */
export async function cancelPending(
  transfer: Transfer | undefined,
  send: (providerId: string) => Promise<unknown>,
  lookUp: (known: Known) => Promise<Transfer | undefined>,
): Promise<Transfer> {
  if (!transfer) throw new Error("The provider has no such transfer.");
  const { state, providerId } = transfer;
  if (state !== "pending") return transfer;
  let failure: unknown;
  try {
    await send(providerId);
  } catch (error) {
    failure = error;
  }
  // The provider may have canceled the transfer although the call failed.
  const result = await lookUp({ providerId });
  if (!result) throw new Error("The provider no longer finds the transfer.", { cause: failure });
  if (result.state !== "pending" || isTooLate(failure)) return result;
  throw (
    failure ?? new Error("The provider accepted the cancellation, and still reports the transfer as pending.")
  );
}
