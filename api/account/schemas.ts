// Schema of the caller's account.
import { Type } from "@sinclair/typebox";
import { AddressText, described, nullable, UnixSeconds } from "../payment-intents/schemas.ts";

export const Account = Type.Object(
  {
    id: Type.String({
      description: "The merchant's id, which payment intents show as merchantId.",
      examples: ["merchant_0198f3a2c4d5e6b7a809"],
    }),
    object: Type.Literal("account", { description: "Always `account`." }),
    data: Type.Object(
      {
        id: Type.String({ description: "The same value as `id`." }),
        object: Type.Literal("account", { description: "Always `account`." }),
        name: Type.String({ description: "The name shown to payers.", examples: ["Tea House"] }),
        logoUrl: nullable(Type.String({ description: "The URL of an image to show to payers." })),
        supportEmail: nullable(
          Type.String({
            description: "The email address for payers who need help.",
            examples: ["help@shop.example.com"],
          }),
        ),
        returnHosts: Type.Array(Type.String(), {
          description: "Hosts allowed in a payment's returnUrl and cancelUrl, set by the gateway's operator.",
          examples: [["shop.example.com"]],
        }),
        contractMerchantId: described(AddressText, "The on-chain account that owns released funds."),
        livemode: Type.Boolean({ description: "Whether this API key or session moves real funds." }),
        created: described(UnixSeconds, "When the account was created, in Unix seconds."),
      },
      { description: "The account's fields." },
    ),
  },
  { title: "Account" },
);
