// The provider's transfer as ours.

import { type Currency, knownCurrencies, parseAmount } from "#core/money.ts";
import { parseFiat, parseRate } from "#core/off-ramp/fiat.ts";
import type { Transfer } from "../off-ramp.ts";
import type { ApiTransfer } from "./api.ts";

/** Its states (Bridge, "Transfer states"); in any other somebody has to find out what is the matter. */
const STATES = new Map<string, Pick<Transfer, "state" | "failure" | "refunded">>([
  ["awaiting_funds", { state: "pending", failure: null }],
  ["in_review", { state: "pending", failure: null }],
  ["funds_received", { state: "pending", failure: null }],
  ["payment_submitted", { state: "pending", failure: null }],
  ["payment_processed", { state: "completed", failure: null }],
  ["undeliverable", { state: "failed", failure: "could not be delivered", refunded: false }],
  ["canceled", { state: "failed", failure: "canceled", refunded: true }],
  ["returned", { state: "returned", failure: "returned by the receiving bank", refunded: false }],
  ["refunded", { state: "returned", failure: "returned by the receiving bank", refunded: true }],
]);

/** Nothing that we do not know is taken for a failure: another attempt could pay twice. */
const heldUp = (state: string) => ({
  state: "pending" as const,
  failure: /^\w{1,32}$/.test(state) ? `its state is ${state}` : "its state is not known",
});

/** @throws Error for what is no amount of this currency */
function unitsOf(text: string, currency: Currency): bigint {
  if (/^0+(\.0*)?$/.test(text)) return 0n;
  const units = parseAmount(text, currency);
  if (typeof units === "bigint") return units;
  throw new Error(`The provider says an amount of ${currency} that is ${units}.`);
}

/** What arrived, and at which rate, as far as the receipt says. @throws Error for what is no amount of its currency */
function arrivalOf({ state, destination, receipt }: ApiTransfer): Pick<Transfer, "delivered" | "rate"> {
  const text = receipt?.final_amount;
  const currency = destination?.currency?.toUpperCase();
  if (state !== "payment_processed" || !text || !currency) return {};
  const amount = parseFiat(text, currency);
  if (amount === undefined)
    throw new Error(`The provider says an amount of ${currency.slice(0, 3)} that is none.`);
  const rate = receipt?.exchange_rate;
  return { delivered: { amount, currency }, ...(rate && parseRate(rate) ? { rate } : {}) };
}

/** @throws Error if it is in a currency, or of an amount, that we do not have */
export function transferOf(transfer: ApiTransfer): Transfer {
  const { source, receipt, state } = transfer;
  const currency = knownCurrencies().find((known) => known.toUpperCase() === source.currency.toUpperCase());
  if (!currency) throw new Error("The provider has a transfer in a currency that we do not have.");
  const fees = [receipt?.developer_fee, receipt?.exchange_fee, receipt?.gas_fee];
  const gas = unitsOf(receipt?.gas_fee ?? "0", currency);
  return {
    providerId: transfer.id,
    reference: transfer.client_reference_id ?? "",
    amount: unitsOf(transfer.amount, currency),
    fee: fees.reduce((sum, fee) => sum + unitsOf(fee ?? "0", currency), 0n),
    currency,
    ...(gas > 0n ? { gas } : {}),
    ...arrivalOf(transfer),
    ...(STATES.get(state) ?? heldUp(state)),
    createdAt: new Date(transfer.created_at),
    // It has no moment of its own for that, and says nothing of it any more once the money came back.
    completedAt: state === "payment_processed" ? new Date(transfer.updated_at) : null,
    lookAgainAt: null,
  };
}
