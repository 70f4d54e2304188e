// Converts the provider's transfers to ours.
import { type Currency, knownCurrencies, parseAmount } from "#core/money.ts";
import { parseFiat, parseRate } from "#core/off-ramp/fiat.ts";
import type { Transfer } from "../off-ramp.ts";
import type { ApiTransfer } from "./api.ts";

type Reported = Pick<Transfer, "state" | "failure" | "canceled" | "refunded" | "awaitsFunds">;

/** The provider's states (Bridge, "Transfer states"); a person must investigate any other state. */
const STATES = new Map<string, Reported>([
  ["awaiting_funds", { state: "pending", failure: null, awaitsFunds: true }],
  ["in_review", { state: "pending", failure: null, awaitsFunds: true }],
  ["funds_received", { state: "pending", failure: null, awaitsFunds: false }],
  ["payment_submitted", { state: "pending", failure: null, awaitsFunds: false }],
  ["payment_processed", { state: "completed", failure: null }],
  ["undeliverable", { state: "failed", failure: "could not be delivered", refunded: false }],
  ["canceled", { state: "failed", failure: "canceled", canceled: true, refunded: true }],
  ["returned", { state: "returned", failure: "returned by the receiving bank", refunded: false }],
  ["refunded", { state: "returned", failure: "returned by the receiving bank", refunded: true }],
]);

/** An unknown state is never treated as a failure: another attempt could pay twice. */
const heldUp = (state: string) => ({
  state: "pending" as const,
  failure: /^\w{1,32}$/.test(state) ? `its state is ${state}` : "its state is unknown",
});

/** @throws Error if the text is not an amount of this currency */
function toUnits(text: string, currency: Currency): bigint {
  if (/^0+(\.0*)?$/.test(text)) return 0n;
  const units = parseAmount(text, currency);
  if (typeof units === "bigint") return units;
  throw new Error(`The provider reports an invalid amount of ${currency}: ${units}.`);
}

/**
 * Returns the amount that arrived, and its exchange rate, if the receipt has them.
 * @throws Error if the text is not an amount of its currency
 */
function readArrival({ state, destination, receipt }: ApiTransfer): Pick<Transfer, "delivered" | "rate"> {
  const text = receipt?.final_amount;
  const currency = destination?.currency?.toUpperCase();
  if (state !== "payment_processed" || !text || !currency) return {};
  const amount = parseFiat(text, currency);
  if (amount === undefined)
    throw new Error(`The provider reports an invalid amount of ${currency.slice(0, 3)}.`);
  const rate = receipt?.exchange_rate;
  return { delivered: { amount, currency }, ...(rate && parseRate(rate) ? { rate } : {}) };
}

/** @throws Error if the transfer's currency is not configured, or one of its amounts is invalid */
export function toTransfer(transfer: ApiTransfer): Transfer {
  const { source, receipt, state } = transfer;
  const currency = knownCurrencies().find((known) => known.toUpperCase() === source.currency.toUpperCase());
  if (!currency) throw new Error("The provider has a transfer in a currency that is not configured.");
  const fees = [receipt?.developer_fee, receipt?.exchange_fee, receipt?.gas_fee];
  const gas = toUnits(receipt?.gas_fee ?? "0", currency);
  return {
    providerId: transfer.id,
    reference: transfer.client_reference_id ?? "",
    amount: toUnits(transfer.amount, currency),
    fee: fees.reduce((sum, fee) => sum + toUnits(fee ?? "0", currency), 0n),
    currency,
    ...(gas > 0n ? { gas } : {}),
    ...readArrival(transfer),
    ...(STATES.get(state) ?? heldUp(state)),
    createdAt: new Date(transfer.created_at),
    // The provider has no completion timestamp; `updated_at` serves as one only until the money is returned.
    completedAt: state === "payment_processed" ? new Date(transfer.updated_at) : null,
    nextPollAt: null,
  };
}
