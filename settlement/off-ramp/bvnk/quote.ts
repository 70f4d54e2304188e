// Converts a provider's quote to one of our transfers. An accepted quote is a transfer. A quote that was never accepted
// moves no money, and once it has expired it never will.
import { type Static, Type } from "@sinclair/typebox";
import { knownCurrencies, parseAmount } from "#core/money.ts";
import { parseFiat, parseRate } from "#core/off-ramp/fiat.ts";
import type { Transfer } from "../off-ramp.ts";

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const Quote = Type.Object({
  uuid: Type.String({ minLength: 1 }),
  reference: Type.String(),
  quoteStatus: Type.String(),
  /** The state of the payment to the bank; null before it starts. */
  payoutStatus: OptionalText,
  from: Type.String(),
  to: Type.String(),
  /** Decimals: the amount that leaves the wallet, the fee, and the amount that arrives. */
  amountIn: Type.String(),
  fee: Type.String(),
  amountOut: OptionalText,
  price: OptionalText,
  dateCreated: Type.String(),
  dateCompleted: OptionalText,
});
export type Quote = Static<typeof Quote>;

type Seen = Pick<Transfer, "state" | "failure" | "canceled" | "refunded" | "awaitsFunds">;
const funded: Seen = { state: "pending", failure: null, awaitsFunds: false };
const unfunded: Seen = { ...funded, awaitsFunds: true };
const failed = (failure: string): Seen => ({ state: "failed", failure, refunded: true });

/** States of a quote that has not been accepted. */
const OPEN: readonly string[] = ["ESTIMATE", "PENDING"];
const OVER: readonly string[] = ["EXPIRED", "CANCELLED"];

/** States of an accepted quote. */
const QUOTE_STATES = new Map<string, Seen>([
  ["ACCEPTED", unfunded],
  ["PAYMENT_IN_PROCESSING", unfunded],
  ["PAYMENT_IN_PROCESSED", funded],
  ["PAYMENT_IN_FAILED", failed("the wallet could not be debited")],
  ["CONVERSION_PROCESSING", funded],
  ["CONVERSION_PROCESSED", funded],
  ["CONVERSION_FAILED", failed("could not be converted")],
  ["PAYMENT_OUT_PROCESSING", funded],
  ["PAYMENT_OUT_FAILED", failed("could not be paid out")],
]);

/** States of the payment to the bank, which are more detailed than the quote's. */
const PAYOUT_STATES = new Map<string, Seen>([
  ["PENDING_APPROVAL", { state: "pending", failure: "it is waiting for approval at the provider" }],
  ["PROCESSING", { state: "pending", failure: null }],
  ["COMPLETED", { state: "completed", failure: null }],
  ["FAILED", failed("could not be delivered")],
  ["CANCELLED", { ...failed("canceled"), canceled: true }],
  ["RETURNED", { state: "returned", failure: "returned by the receiving bank", refunded: true }],
]);

/** An unknown state is never treated as a failure: another attempt could pay twice. */
const heldUp = (status: string): Seen => ({
  state: "pending",
  failure: /^\w{1,40}$/.test(status) ? `its state is ${status}` : "its state is unknown",
});

/** Whether the quote moves no money and never will. */
export const isDead = ({ quoteStatus, payoutStatus }: Pick<Quote, "quoteStatus" | "payoutStatus">): boolean =>
  !payoutStatus && OVER.includes(quoteStatus);

/** Whether the quote moves no money unless it is accepted. */
export const isOpen = ({ quoteStatus, payoutStatus }: Pick<Quote, "quoteStatus" | "payoutStatus">): boolean =>
  !payoutStatus && OPEN.includes(quoteStatus);

export function readState({ quoteStatus, payoutStatus }: Pick<Quote, "quoteStatus" | "payoutStatus">): Seen {
  const ofQuote = QUOTE_STATES.get(quoteStatus) ?? heldUp(quoteStatus);
  if (!payoutStatus) return ofQuote;
  const ofPayout = PAYOUT_STATES.get(payoutStatus) ?? heldUp(payoutStatus);
  // Only the quote's state shows whether the wallet has been debited.
  return ofPayout.state === "pending" && ofQuote.awaitsFunds !== undefined
    ? { ...ofPayout, awaitsFunds: ofQuote.awaitsFunds }
    : ofPayout;
}

/** @throws Error if the quote's currency is not configured, or one of its amounts is invalid */
export function readQuote(quote: Quote): Transfer {
  const currency = knownCurrencies().find((known) => known.toUpperCase() === quote.from.toUpperCase());
  if (!currency) throw new Error("The provider has a quote in a currency that is not configured.");
  const toUnits = (text: string) => {
    if (/^0+(\.0*)?$/.test(text)) return 0n;
    const units = parseAmount(text, currency);
    if (typeof units === "bigint") return units;
    throw new Error(`The provider reports an invalid amount of ${currency}: ${units}.`);
  };
  const seen = readState(quote);
  const completed = seen.state === "completed";
  const delivered = completed && quote.amountOut ? parseFiat(quote.amountOut, quote.to) : undefined;
  return {
    ...{ providerId: quote.uuid, reference: quote.reference, currency, ...seen },
    ...{ amount: toUnits(quote.amountIn), fee: toUnits(quote.fee) },
    ...(delivered !== undefined && { delivered: { amount: delivered, currency: quote.to } }),
    ...(completed && quote.price && parseRate(quote.price) ? { rate: quote.price } : {}),
    createdAt: new Date(quote.dateCreated),
    completedAt: completed && quote.dateCompleted ? new Date(quote.dateCompleted) : null,
    nextPollAt: null,
  };
}
