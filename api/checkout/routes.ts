// The payment page's operation.
import { Elysia } from "elysia";
import { answers, pathParams } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { INTENT_MISSING } from "../payment-intents/documented-errors.ts";
import { retrieveCheckout, streamCheckout } from "./retrieve-checkout.ts";
import { Checkout } from "./schemas.ts";

export const checkoutRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false }).use(shared).get(
    "/payment-intents/public/:intentId/checkout",
    async ({ services, call, request, server }) =>
      request.headers.get("accept")?.includes("text/event-stream")
        ? ((await streamCheckout(services, call, {
            owner: services.accessControl.readAddress(request, server),
            closeAfterIdle: (seconds) => server?.timeout(request, seconds),
          })) as never)
        : retrieveCheckout(services, call),
    {
      open: true,
      params: pathParams("intentId"),
      response: answers(Checkout, [INTENT_MISSING], ["text/event-stream"]),
      detail: {
        operationId: "retrieveCheckout",
        tags: ["Payment page"],
        summary: "Retrieve the checkout",
        description:
          "Returns everything that a payment page needs in one request: payee and amount, the terms and the typed data " +
          "to sign, the token's funding methods, the payment's status, and the URLs to send the payer to afterwards. " +
          "With `Accept: text/event-stream`, returns a stream with one message for every change.",
      },
    },
  );
