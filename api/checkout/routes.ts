// The payment page's own operation.
import { type Operation, publicGetOrStream } from "../http/operation.ts";
import { INTENT_MISSING } from "../http/refusals.ts";
import { retrieveCheckout, streamCheckout } from "./retrieve-checkout.ts";
import { Checkout } from "./schemas.ts";

export const checkoutOperations: Operation[] = [
  publicGetOrStream("/payment-intents/public/:intentId/checkout", retrieveCheckout, streamCheckout, {
    id: "retrieveCheckout",
    tag: "Payment page",
    summary: "What the payment page shows",
    description: "With `Accept: text/event-stream` a stream of it: one message whenever it has changed.",
    answer: Checkout,
    refusals: [INTENT_MISSING],
  }),
];
