// The webhook endpoint operations.
import { Elysia } from "elysia";
import { invalidRequest, invalidStatus, noSuch } from "#core/errors.ts";
import { NoBody } from "../http/body.ts";
import { answers, pathParams, queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { listRefusals, OF_MISSING_INTENT } from "../lists/documented-errors.ts";
import { createEndpoint } from "./create-endpoint.ts";
import { deleteEndpoint } from "./delete-endpoint.ts";
import { listDeliveries } from "./deliveries.ts";
import { redeliver } from "./redeliver.ts";
import { listEndpoints, retrieveEndpoint } from "./retrieve-endpoints.ts";
import { rotateSecret } from "./rotate-secret.ts";
import {
  CreateEndpointBody,
  DeletedEndpoint,
  Delivery,
  DeliveryList,
  Endpoint,
  EndpointList,
  EndpointWithSecret,
  ListDeliveriesQuery,
  ListEndpointsQuery,
  RotateSecretBody,
  UpdateEndpointBody,
} from "./schemas.ts";
import { sendTest } from "./send-test.ts";
import { updateEndpoint } from "./update-endpoint.ts";

const PATH = "/webhook-endpoints/:endpointId";
const endpointMissing = (param: string) => noSuch("webhook endpoint", "we_…", param);
const deliveryMissing = (param: string) => noSuch("delivery", "delivery_…", param);
const ENDPOINT_MISSING = endpointMissing("endpointId");
const DISABLED = invalidStatus("This webhook endpoint is disabled. Enable it first.");
const BAD_URL = invalidRequest("Invalid url: it must be an absolute URL.", "url");

export const webhookEndpointRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post("/webhook-endpoints", async ({ services, call, body }) => createEndpoint(services, call, body), {
      access: { permission: "configure" },
      idempotent: true,
      audit: "webhook_endpoint.create",
      body: CreateEndpointBody,
      response: answers(EndpointWithSecret, [BAD_URL]),
      detail: {
        operationId: "createWebhookEndpoint",
        tags: ["Webhooks"],
        summary: "Create a webhook endpoint",
        description: "The secret that signs its webhooks is returned only in this response.",
      },
    })
    .get("/webhook-endpoints", async ({ services, call, query }) => listEndpoints(services, call, query), {
      access: { permission: "read" },
      ...queried(ListEndpointsQuery),
      response: answers(EndpointList, listRefusals(endpointMissing)),
      detail: {
        operationId: "listWebhookEndpoints",
        tags: ["Webhooks"],
        summary: "List webhook endpoints",
        description: "Returns the merchant's webhook endpoints, newest first, without their secrets.",
      },
    })
    .get(PATH, async ({ services, call }) => retrieveEndpoint(services, call), {
      access: { permission: "read" },
      params: pathParams("endpointId"),
      response: answers(Endpoint, [ENDPOINT_MISSING]),
      detail: {
        operationId: "retrieveWebhookEndpoint",
        tags: ["Webhooks"],
        summary: "Retrieve a webhook endpoint",
        description: "Returns the endpoint without its secret, which is only returned on creation.",
      },
    })
    .post(PATH, async ({ services, call, body }) => updateEndpoint(services, call, body), {
      access: { permission: "configure" },
      idempotent: true,
      audit: "webhook_endpoint.update",
      params: pathParams("endpointId"),
      body: UpdateEndpointBody,
      response: answers(Endpoint, [BAD_URL, ENDPOINT_MISSING]),
      detail: {
        operationId: "updateWebhookEndpoint",
        tags: ["Webhooks"],
        summary: "Update a webhook endpoint",
        description:
          "Omitted fields are unchanged. No deliveries are created for an endpoint while it is disabled.",
      },
    })
    .delete(PATH, async ({ services, call }) => deleteEndpoint(services, call), {
      access: { permission: "configure" },
      audit: "webhook_endpoint.delete",
      params: pathParams("endpointId"),
      response: answers(DeletedEndpoint, [ENDPOINT_MISSING]),
      detail: {
        operationId: "deleteWebhookEndpoint",
        tags: ["Webhooks"],
        summary: "Delete a webhook endpoint",
        description: "Also deletes the endpoint's pending deliveries.",
      },
    })
    .post(`${PATH}/rotate-secret`, async ({ services, call, body }) => rotateSecret(services, call, body), {
      access: { permission: "configure" },
      idempotent: true,
      audit: "webhook_endpoint.rotate_secret",
      params: pathParams("endpointId"),
      body: RotateSecretBody,
      response: answers(EndpointWithSecret, [ENDPOINT_MISSING]),
      detail: {
        operationId: "rotateWebhookSecret",
        tags: ["Webhooks"],
        summary: "Rotate a webhook endpoint's secret",
        description:
          "Webhooks are signed with both secrets until the overlap ends (in seconds; one day by default).",
      },
    })
    .post(`${PATH}/test`, async ({ services, call }) => sendTest(services, call), {
      access: { permission: "write" },
      idempotent: true,
      audit: "webhook_endpoint.test",
      params: pathParams("endpointId"),
      body: NoBody,
      response: answers(Delivery, [DISABLED, ENDPOINT_MISSING]),
      detail: {
        operationId: "sendTestEvent",
        tags: ["Webhooks"],
        summary: "Send a test event",
        description: "Sends an event of type `webhook.test` to this endpoint only.",
      },
    })
    .get(`${PATH}/deliveries`, async ({ services, call, query }) => listDeliveries(services, call, query), {
      access: { permission: "read" },
      params: pathParams("endpointId"),
      ...queried(ListDeliveriesQuery),
      response: answers(DeliveryList, [
        ...listRefusals(deliveryMissing),
        ENDPOINT_MISSING,
        OF_MISSING_INTENT,
      ]),
      detail: {
        operationId: "listWebhookDeliveries",
        tags: ["Webhooks"],
        summary: "List webhook deliveries",
        description:
          "Returns deliveries with every attempt and its result, newest first. Deliveries are kept for 30 days.",
      },
    })
    .post(
      `${PATH}/deliveries/:deliveryId/redeliver`,
      async ({ services, call }) => redeliver(services, call),
      {
        access: { permission: "write" },
        idempotent: true,
        audit: "webhook_delivery.redeliver",
        params: pathParams("endpointId", "deliveryId"),
        body: NoBody,
        response: answers(Delivery, [DISABLED, ENDPOINT_MISSING, deliveryMissing("deliveryId")]),
        detail: {
          operationId: "redeliverWebhook",
          tags: ["Webhooks"],
          summary: "Redeliver an event",
          description:
            "Sends the event immediately, with the same retries as a new delivery; `webhook-id` stays the same.",
        },
      },
    );
