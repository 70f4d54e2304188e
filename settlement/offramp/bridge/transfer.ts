// The provider's transfer as ours.
import { CURRENCIES, type Currency, parseAmount } from "#core/money.ts";
import type { Transfer } from "../off-ramp.ts";
import type { ApiTransfer } from "./api.ts";

/** Its states (Bridge, "Transfer states"); in any other somebody has to find out what is the matter. */
const STATES: Record<string, Transfer["state"]> = {
  awaiting_funds: "pending",
  in_review: "pending",
  funds_received: "pending",
  payment_submitted: "pending",
  payment_processed: "completed",
  undeliverable: "failed",
  canceled: "failed",
  returned: "returned",
  refunded: "returned",
};

const FAILURES: Record<string, string> = {
  undeliverable: "could not be delivered",
  canceled: "canceled",
  returned: "returned by the receiving bank",
  refunded: "returned by the receiving bank",
};

/** @throws Error for what is no amount of this currency */
function unitsOf(text: string, currency: Currency): bigint {
  if (/^0+(\.0*)?$/.test(text)) return 0n;
  const units = parseAmount(text, currency);
  if (typeof units === "bigint") return units;
  throw new Error(`The provider says an amount of ${currency} that is ${units}.`);
}

function failureOf(state: string): string | null {
  if (state in STATES) return FAILURES[state] ?? null;
  return /^\w{1,32}$/.test(state) ? `its state is ${state}` : "its state is not known";
}

/** @throws Error if it is in a currency, or of an amount, that we do not have */
export function transferOf(transfer: ApiTransfer): Transfer {
  const { source, receipt, state } = transfer;
  const currency = CURRENCIES.find((known) => known === source.currency.toUpperCase());
  if (!currency) throw new Error("The provider has a transfer in a currency that we do not have.");
  const fees = [receipt?.developer_fee, receipt?.exchange_fee, receipt?.gas_fee];
  return {
    providerId: transfer.id,
    reference: transfer.client_reference_id ?? "",
    amount: unitsOf(transfer.amount, currency),
    fee: fees.reduce((sum, fee) => sum + unitsOf(fee ?? "0", currency), 0n),
    currency,
    state: STATES[state] ?? "pending",
    createdAt: new Date(transfer.created_at),
    // It has no moment of its own for that, and says nothing of it any more once the money came back.
    completedAt: state === "payment_processed" ? new Date(transfer.updated_at) : null,
    failure: failureOf(state),
    lookAgainAt: null,
  };
}
