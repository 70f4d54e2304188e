// Routes of the payment page's own operation.
import { Elysia } from "elysia";
import { type ErrorStatus, operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { retrieveCheckout, streamCheckout } from "./retrieve-checkout.ts";
import { Checkout } from "./schemas.ts";

export function checkoutRoutes(services: Services, documented: boolean) {
  const { publicGetOrStream } = operationsOf(services, documented);
  const retrieve = {
    summary: "What the payment page shows; with `Accept: text/event-stream` a stream of it",
    tag: "Payment page",
    answer: Checkout,
    errors: [400, 404] as ErrorStatus[],
  };
  return new Elysia({ prefix: "/payment-intents" }).get(
    "/public/:intentId/checkout",
    ...publicGetOrStream(retrieveCheckout, streamCheckout, retrieve),
  );
}
