// Fields shared by many schemas. Each has a description, because the OpenAPI document describes every property.
import { Type } from "@sinclair/typebox";

/** The field that contains the type of a resource. */
export const objectField = <const T extends string>(name: T) =>
  Type.Literal(name, { description: `Always \`${name}\`.` });

/** @param example such as `evt_01990a5e3c7e7000a1b2c3d4e5f60718` */
export const idField = (what: string, example?: string) =>
  Type.String({
    description: `The ${what}'s id.`,
    ...(example === undefined ? {} : { examples: [example] }),
  });

/** The payment intent that a resource belongs to. */
export const PaymentIntentId = Type.String({
  description: "The id of the payment intent.",
});

export const ConditionalPaymentId = Type.String({
  description: "The id of the escrow order that it belongs to.",
});

export const Livemode = Type.Boolean({ description: "Whether real funds are involved." });

/** @param of describes what the amount belongs to, such as "Of the payment" */
export const amountField = (of: string, example = "100.00") =>
  Type.String({ description: `${of}: a decimal string.`, examples: [example] });

export const IsoTime = (what: string) =>
  Type.String({ format: "date-time", description: `${what}, in ISO 8601.` });
