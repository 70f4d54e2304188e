// Schemas of settlements: fiat payouts and their results.
import { type Static, Type } from "@sinclair/typebox";
import type { payout } from "#core/db/schema/payouts.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { formatAmount } from "#core/money.ts";
import { showArrived } from "#core/off-ramp/show-arrived.ts";
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

/** The result of a payout, in settlements and in payout events. */
export const ARRIVED = {
  fee: Type.String({ description: "The fee that the provider deducted from the amount", examples: ["0.25"] }),
  gas: Type.String({ description: "The part of the fee that covers network costs", examples: ["0.05"] }),
  deliveredAmount: nullable(
    Type.String({ description: "The amount that arrived at the bank", examples: ["91.92"] }),
  ),
  deliveredCurrency: nullable(Type.String({ description: "ISO 4217", examples: ["EUR"] })),
  rate: nullable(
    Type.String({ description: "The exchange rate reported by the provider", examples: ["0.9215"] }),
  ),
  settledExternally: Type.Boolean({
    description: "Whether it was paid manually, from other funds of the gateway",
  }),
};

export const Settlement = Type.Object(
  {
    id: idField("settlement", "payout_01990a5e3c7e7000a1b2c3d4e5f60718"),
    object: objectField("settlement"),
    paymentIntentId: PaymentIntentId,
    amount: amountField("The amount that left the escrow for the payout"),
    currency: Currency,
    method: oneOf(SETTLEMENT_METHODS, undefined, "The payout's settlement method."),
    destination: Type.String({ description: "The last characters of the destination", examples: ["…_123"] }),
    status: oneOf(SETTLEMENT_STATUSES, undefined, "What became of it."),
    attempt: Type.Integer({
      description: "The number of this attempt to pay out the amount, starting at 1.",
    }),
    reference: Type.String({ description: "The reference of the payout at the provider" }),
    transactionHash: Bytes32,
    failure: nullable(Type.String(), "Why the payout failed or was returned."),
    ...ARRIVED,
    created: described(UnixSeconds, "When the payout was created, in Unix seconds."),
    completed: nullable(UnixSeconds, "When the provider reported the payout as paid, in Unix seconds."),
  },
  { title: "Settlement" },
);

export const SettlementList = listOf(Settlement, "SettlementList");

export const ListSettlementsQuery = listQuery({
  status: Type.Optional(oneOf(SETTLEMENT_STATUSES, undefined, "Only objects with this status")),
  paymentIntentId: OfPaymentIntent,
  created: CreatedRange,
});

/** Shows enough of a destination to recognize an account, but too little to use it. */
const masked = (destination: string): string => `…${destination.length > 8 ? destination.slice(-4) : ""}`;

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
  ...showArrived(row),
  created: toUnixSeconds(row.createdAt),
  completed: row.completedAt && toUnixSeconds(row.completedAt),
});
