// Schemas of settlements: fiat payouts and their outcome.
import { type Static, Type } from "@sinclair/typebox";
import type { payout } from "#core/db/schema/payouts.ts";
import { showDelivered } from "#core/events/payout-events.ts";
import { formatAmount } from "#core/money.ts";
import { SETTLEMENT_METHODS } from "#core/off-ramp/settlement-methods.ts";
import { amountField, idField, objectField, PaymentIntentId } from "../http/fields.ts";
import { CreatedRange, listOf, listQuery, OfPaymentIntent } from "../lists/schemas.ts";
import { Bytes32, Currency, described, nullable, oneOf, UnixSeconds } from "../payment-intents/schemas.ts";

export const SETTLEMENT_STATUSES = [
  "created",
  "submitted",
  "completed",
  "failed",
  "returned",
  "quarantined",
] as const;

/** The amount's outcome, in settlements and in payout events. */
export const ARRIVED = {
  fee: Type.String({ description: "What the provider kept of the amount", examples: ["0.25"] }),
  gas: Type.String({ description: "The part of the fee that paid for the network", examples: ["0.05"] }),
  deliveredAmount: nullable(Type.String({ description: "What arrived at the bank", examples: ["91.92"] })),
  deliveredCurrency: nullable(Type.String({ description: "ISO 4217", examples: ["EUR"] })),
  rate: nullable(Type.String({ description: "As the provider reports it", examples: ["0.9215"] })),
  settledExternally: Type.Boolean({ description: "Paid by hand, from other funds of the gateway" }),
};

export const Settlement = Type.Object(
  {
    id: idField("settlement", "payout_01990a5e3c7e7000a1b2c3d4e5f60718"),
    object: objectField("settlement"),
    paymentIntentId: PaymentIntentId,
    amount: amountField("What left the escrow for it"),
    currency: Currency,
    method: oneOf(SETTLEMENT_METHODS, undefined, "How it is paid out."),
    destination: Type.String({ description: "The end of it alone", examples: ["…_123"] }),
    status: oneOf(SETTLEMENT_STATUSES, undefined, "What became of it."),
    attempt: Type.Integer({ description: "Which attempt at this amount it is, from 1 on." }),
    reference: Type.String({ description: "What the provider knows the payout by" }),
    transactionHash: Bytes32,
    failure: nullable(Type.String(), "Why it failed or came back."),
    ...ARRIVED,
    created: described(UnixSeconds, "When it was ordered, in Unix seconds."),
    completed: nullable(UnixSeconds, "When the provider reported it as paid, in Unix seconds."),
  },
  { title: "Settlement" },
);

export const SettlementList = listOf(Settlement, "SettlementList");

export const ListSettlementsQuery = listQuery({
  status: Type.Optional(oneOf(SETTLEMENT_STATUSES, undefined, "Only those in this status")),
  paymentIntentId: OfPaymentIntent,
  created: CreatedRange,
});

/** Enough to recognise an account, but too little to use it. */
const masked = (destination: string): string => `…${destination.length > 8 ? destination.slice(-4) : ""}`;

const unix = (moment: Date): number => Math.floor(moment.getTime() / 1000);

export const showSettlement = (row: typeof payout.$inferSelect): Static<typeof Settlement> => ({
  id: row.id,
  object: "settlement",
  paymentIntentId: row.intentId,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  method: row.method,
  destination: masked(row.destination),
  status: row.state,
  attempt: row.attempt,
  reference: row.reference,
  transactionHash: row.settlementTxHash,
  failure: row.failure,
  fee: formatAmount(row.fee, row.currency),
  gas: formatAmount(row.gas, row.currency),
  ...showDelivered(row),
  settledExternally: row.externalReference !== null,
  created: unix(row.createdAt),
  completed: row.completedAt && unix(row.completedAt),
});
