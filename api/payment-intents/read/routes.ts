// Routes that read payment intents, with their escrow and settlements if requested by `expand[]` (spec,
// operations 2 and 11).
import { Elysia } from "elysia";
import { invalidRequest, noSuch } from "#core/errors.ts";
import { answers, pathParams, queried } from "../../http/declare.ts";
import type { RouteMacros } from "../../http/route-macros.ts";
import { listRefusals } from "../../lists/documented-errors.ts";
import { listOrExport } from "../../lists/stream-csv.ts";
import { INTENT_MISSING } from "../documented-errors.ts";
import { exportIntents } from "./export.ts";
import { listIntents } from "./list.ts";
import { retrieveIntent } from "./retrieve.ts";
import {
  ExpandedIntent,
  ExpandedIntentList,
  ListExpandedIntentsQuery,
  RetrieveIntentQuery,
} from "./schemas.ts";

const tag = "Payment intents";
const BAD_EXPANSION = invalidRequest("Invalid expand[]: expected one of escrow, settlements.", "expand[]");

export const paymentIntentReadRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .get(
      "/payment-intents",
      ({ services, call, query }) =>
        listOrExport(
          call,
          () => listIntents(services, call, query),
          () => exportIntents(services, call, query),
        ),
      {
        access: { permission: "read" },
        ...queried(ListExpandedIntentsQuery),
        response: answers(
          ExpandedIntentList,
          [...listRefusals((param) => noSuch("payment intent", "intent_…", param)), BAD_EXPANSION],
          ["text/csv"],
        ),
        detail: {
          operationId: "listPaymentIntents",
          tags: [tag],
          summary: "List payment intents",
          description:
            "Returns the merchant's payment intents, newest first, optionally filtered by search text, status, " +
            "currency, creation time and metadata. With `Accept: text/csv`, returns all matches as CSV.",
        },
      },
    )
    .get(
      "/payment-intents/:intentId",
      async ({ services, call, query }) => retrieveIntent(services, call, query),
      {
        access: { permission: "read", endpoint: "retrieve" },
        params: pathParams("intentId"),
        ...queried(RetrieveIntentQuery),
        response: answers(ExpandedIntent, [INTENT_MISSING, BAD_EXPANSION]),
        detail: {
          operationId: "retrievePaymentIntent",
          tags: [tag],
          summary: "Retrieve a payment intent",
          description:
            "Returns the payment intent with its current status, derived from the chain and the payouts.",
        },
      },
    );
