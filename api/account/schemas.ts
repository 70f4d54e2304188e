// Schema of the caller's account.
import { Type } from "@sinclair/typebox";
import { AddressText, described, nullable, UnixSeconds } from "../payment-intents/schemas.ts";

export const Account = Type.Object(
  {
    id: Type.String({
      description: "The merchant's id, which payment intents show as merchantId.",
      examples: ["merchant_0k3v9q1m7x2d5b8h"],
    }),
    object: Type.Literal("account", { description: "Always `account`." }),
    data: Type.Object(
      {
        id: Type.String({ description: "The same id." }),
        object: Type.Literal("account", { description: "Always `account`." }),
        name: Type.String({ description: "What payers see.", examples: ["Tea House"] }),
        logoUrl: nullable(Type.String({ description: "An image that payers may be shown." })),
        supportEmail: nullable(
          Type.String({ description: "Where payers get help.", examples: ["help@shop.example.com"] }),
        ),
        returnHosts: Type.Array(Type.String(), {
          description:
            "Hosts that a payment's returnUrl and cancelUrl may have; the gateway's operator sets them.",
          examples: [["shop.example.com"]],
        }),
        contractMerchantId: described(AddressText, "The account on chain that released funds belong to."),
        livemode: Type.Boolean({ description: "Whether this key or session moves real money." }),
        created: described(UnixSeconds, "When the account was made, in Unix seconds."),
      },
      { description: "The account's fields." },
    ),
  },
  { title: "Account" },
);
