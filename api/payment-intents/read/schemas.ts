// A payment intent with the resources requested by `expand[]`.
import { Type } from "@sinclair/typebox";
import { ConditionalPaymentEnvelope } from "../../escrow/schemas.ts";
import { queryText } from "../../http/declare.ts";
import { CreatedRange, listOf, listQuery, MetadataFilter } from "../../lists/schemas.ts";
import { Settlement } from "../../settlements/schemas.ts";
import { Currency, IntentEnvelope, IntentStatus, MerchantStatus, nullable, oneOf } from "../schemas.ts";

export const EXPANDABLE = ["escrow", "settlements"] as const;

export const ExpandedIntent = Type.Object(
  {
    ...IntentEnvelope.properties,
    escrow: Type.Optional(
      nullable(
        ConditionalPaymentEnvelope,
        "With `expand[]=escrow`: the conditional payment, as returned by its own endpoint; null if the payment has no escrow.",
      ),
    ),
    settlements: Type.Optional(
      Type.Array(Settlement, {
        description: "With `expand[]=settlements`: every payout attempt, newest first.",
      }),
    ),
  },
  { title: "ExpandedPaymentIntent" },
);

export const ExpandedIntentList = listOf(ExpandedIntent, "PaymentIntentList");

const Expand = {
  "expand[]": Type.Optional(
    Type.Array(oneOf(EXPANDABLE), {
      description: "Related objects to include in the response: `expand[]=escrow&expand[]=settlements`",
    }),
  ),
};

export const RetrieveIntentQuery = Type.Object(Expand, { additionalProperties: false });
export const ListExpandedIntentsQuery = listQuery({
  status: Type.Optional(IntentStatus),
  merchantStatus: Type.Optional(MerchantStatus),
  query: queryText(
    "Search text: an id, an address or a transaction hash, or its prefix; the suffix of an address; words, or prefixes " +
      "of words, in the description or metadata values. Every word must match",
    { maxLength: 200, errorMessage: "a text of at most 200 characters without U+0000" },
  ),
  currency: Type.Optional(Currency),
  created: CreatedRange,
  metadata: MetadataFilter,
  ...Expand,
});
