// A payment intent with the resources requested by `expand[]`.
import { Type } from "@sinclair/typebox";
import { ConditionalPaymentEnvelope } from "../escrow/schemas.ts";
import { queryText } from "../http/declare.ts";
import { CreatedRange, listOf, listQuery, MetadataFilter } from "../lists/schemas.ts";
import {
  Currency,
  IntentEnvelope,
  IntentStatus,
  MerchantStatus,
  nullable,
  oneOf,
} from "../payment-intents/schemas.ts";
import { Settlement } from "../settlements/schemas.ts";

export const EXPANDABLE = ["escrow", "settlements"] as const;

export const ExpandedIntent = Type.Object(
  {
    ...IntentEnvelope.properties,
    escrow: Type.Optional(
      nullable(
        ConditionalPaymentEnvelope,
        "With `expand[]=escrow`: as its own operation answers it; null where the payment has no escrow.",
      ),
    ),
    settlements: Type.Optional(
      Type.Array(Settlement, {
        description: "With `expand[]=settlements`: every attempt to pay out, newest first.",
      }),
    ),
  },
  { title: "ExpandedPaymentIntent" },
);

export const ExpandedIntentList = listOf(ExpandedIntent, "PaymentIntentList");

const Expand = {
  "expand[]": Type.Optional(
    Type.Array(oneOf(EXPANDABLE), {
      description: "What to answer along with it: `expand[]=escrow&expand[]=settlements`",
    }),
  ),
};

export const RetrieveIntentQuery = Type.Object(Expand, { additionalProperties: false });
export const ListExpandedIntentsQuery = listQuery({
  status: Type.Optional(IntentStatus),
  merchantStatus: Type.Optional(MerchantStatus),
  query: queryText(
    "A search: an id, an address or a transaction's hash, or how one begins; how an address ends; words of the description or " +
      "of metadata's values, or how they begin. Every word must match",
    { maxLength: 200, errorMessage: "a text of at most 200 characters without U+0000" },
  ),
  currency: Type.Optional(Currency),
  created: CreatedRange,
  metadata: MetadataFilter,
  ...Expand,
});
