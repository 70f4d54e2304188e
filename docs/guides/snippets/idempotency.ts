import { randomUUID } from "node:crypto";
import { Gateway } from "@delivery-versus-payment/sdk";

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL });

// Your own name of the order: a process that died and starts again sends the same one.
const idempotencyKey = `order-${randomUUID()}`;
const create = () =>
  gateway.paymentIntents.create(
    {
      amount: "20.00",
      currency: "USDC",
      type: "DELIVERY_VS_PAYMENT",
      settlementMethod: "OFF_RAMP_MOCK",
      settlementDestination: "bank_account_123",
    },
    { idempotencyKey },
  );

const [first, second] = [await create(), await create()];
console.log(first.id === second.id ? "one payment" : "two payments");
