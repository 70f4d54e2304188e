// What a claimed payout's row and its provider's report say.
import { isAddressEqual } from "viem";
import type { Transfer } from "../off-ramp/off-ramp.ts";
import type { ClaimedPayout } from "./claim-payouts.ts";
import type { WalletToken } from "./wallet-token.ts";

/** The delivered part of a transfer, in the payout's columns. */
export const pickArrival = ({ gas = 0n, delivered, rate }: Transfer) => ({
  gas,
  deliveredAmount: delivered?.amount ?? null,
  deliveredCurrency: delivered?.currency ?? null,
  rate: rate ?? null,
});

/** Whether the provider has the transfer or will never have it, in which case nothing is ordered under its reference. */
export const isAnswered = ({ state, providerId }: ClaimedPayout): boolean =>
  providerId !== null || (state !== "created" && state !== "quarantined");

export const nextCall = ({ declinedCalls }: ClaimedPayout): number => declinedCalls + 1;

/** Whether the provider received its next call, but does not report the outcome. */
export const isSpent = (row: ClaimedPayout): boolean => row.spentCall === nextCall(row);

/** Whether a transfer's funds are still in its wallet. */
export const awaitsFunds = (row: ClaimedPayout, { state, awaitsFunds: reported }: Transfer): boolean =>
  state === "pending" &&
  row.state !== "completed" &&
  (reported ?? (row.awaitsFunds || row.state !== "submitted"));

/** An operator may have had another account's wallet pay it (npm run accounts -- move). */
export function placeFor({ walletAddress, settledTo }: ClaimedPayout, place: WalletToken): WalletToken {
  const isMoved = walletAddress !== null && !isAddressEqual(walletAddress, settledTo);
  return isMoved ? { ...place, offRamp: walletAddress } : place;
}
