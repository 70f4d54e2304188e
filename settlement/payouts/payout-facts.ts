// Facts that follow from a claimed payout's row and its provider's report.
import type { Transfer } from "../off-ramp/off-ramp.ts";
import { type ClaimedPayout, fundedAt } from "./claim-payouts.ts";
import type { WalletToken } from "./wallet-token.ts";

/** Returns what the provider reports about the delivery, in the payout's columns. */
export const pickArrival = ({ gas = 0n, delivered, rate }: Transfer) => ({
  gas,
  deliveredAmount: delivered?.amount ?? null,
  deliveredCurrency: delivered?.currency ?? null,
  rate: rate ?? null,
});

/**
 * Whether the provider has the transfer or will never have it; in both cases nothing is ordered under its reference.
 */
export const isAnswered = ({ state, providerId }: ClaimedPayout): boolean =>
  providerId !== null || (state !== "created" && state !== "quarantined");

export const nextCall = ({ declinedCalls }: ClaimedPayout): number => declinedCalls + 1;

/** Whether the provider received the payout's next call, but does not report the outcome. */
export const isSpent = (row: ClaimedPayout): boolean => row.spentCall === nextCall(row);

/** Whether an earlier report of the payout's pending transfer is stored. */
const isReported = ({ state, providerId }: ClaimedPayout): boolean =>
  state === "submitted" || (state === "quarantined" && providerId !== null);

/** Whether a transfer's funds are still in its wallet. */
export const awaitsFunds = (row: ClaimedPayout, { state, awaitsFunds: reported }: Transfer): boolean =>
  state === "pending" && row.state !== "completed" && (reported ?? (row.awaitsFunds || !isReported(row)));

/**
 * Returns the wallet that pays: an operator may have moved the payout, or an earlier attempt whose funds come back, to
 * another account's wallet (npm run accounts -- move).
 */
export const placeFor = (row: ClaimedPayout): WalletToken => ({
  token: row.token,
  offRamp: row.wallet === null ? fundedAt(row) : (row.walletAddress ?? row.settledTo),
});
