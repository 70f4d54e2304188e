// The webhook endpoints' operations.
import { Elysia } from "elysia";
import { invalidRequest, invalidStatus, resourceMissing } from "#core/errors.ts";
import { NoBody } from "../http/body.ts";
import { answer, describe } from "../http/describe.ts";
import type { Gateway } from "../http/gateway.ts";
import { listRefusals, OF_MISSING_INTENT } from "../http/refusals.ts";
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
const endpointMissing = (param: string) => resourceMissing("There is no webhook endpoint 'we_…'.", param);
const deliveryMissing = (param: string) => resourceMissing("There is no delivery 'delivery_…'.", param);
const ENDPOINT_MISSING = endpointMissing("endpointId");
const DISABLED = invalidStatus("This webhook endpoint is disabled: enable it first.");
const BAD_URL = invalidRequest("Invalid url: it must be an absolute URL.", "url");

export const webhookEndpointRoutes = (shared: Gateway) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post("/webhook-endpoints", async ({ network, call, body }) => createEndpoint(network, call, body), {
      access: { permission: "write" },
      idempotent: true,
      audit: "webhook_endpoint.create",
      body: CreateEndpointBody,
      response: answer(EndpointWithSecret),
      detail: describe({
        id: "createWebhookEndpoint",
        tag: "Webhooks",
        summary: "Create a webhook endpoint",
        description: "The secret that signs its webhooks is shown in this answer, and never again.",
        example: {
          url: "https://example.com/webhooks",
          enabled_events: ["payment_intent.*", "payout.failed"],
          description: "Order system",
        },
        refusals: [BAD_URL],
      }),
    })
    .get("/webhook-endpoints", async ({ network, call }) => listEndpoints(network, call), {
      access: { permission: "read" },
      response: answer(EndpointList),
      detail: describe({
        id: "listWebhookEndpoints",
        tag: "Webhooks",
        summary: "List webhook endpoints",
        description: "The merchant's own, newest first, without their secrets.",
        query: ListEndpointsQuery,
        refusals: listRefusals(endpointMissing),
      }),
    })
    .get(PATH, async ({ network, call }) => retrieveEndpoint(network, call), {
      access: { permission: "read" },
      response: answer(Endpoint),
      detail: describe({
        id: "retrieveWebhookEndpoint",
        tag: "Webhooks",
        summary: "Retrieve a webhook endpoint",
        description: "Without its secret, which was shown when it was made.",
        refusals: [ENDPOINT_MISSING],
      }),
    })
    .post(PATH, async ({ network, call, body }) => updateEndpoint(network, call, body), {
      access: { permission: "write" },
      idempotent: true,
      audit: "webhook_endpoint.update",
      body: UpdateEndpointBody,
      response: answer(Endpoint),
      detail: describe({
        id: "updateWebhookEndpoint",
        tag: "Webhooks",
        summary: "Update a webhook endpoint",
        description:
          "What is left out stays as it is. While an endpoint is disabled nothing is noted for it.",
        example: { enabled_events: ["*"], status: "enabled" },
        refusals: [BAD_URL, ENDPOINT_MISSING],
      }),
    })
    .delete(PATH, async ({ network, call }) => deleteEndpoint(network, call), {
      access: { permission: "write" },
      audit: "webhook_endpoint.delete",
      response: answer(DeletedEndpoint),
      detail: describe({
        id: "deleteWebhookEndpoint",
        tag: "Webhooks",
        summary: "Delete a webhook endpoint",
        description: "With everything that was still to be delivered to it.",
        refusals: [ENDPOINT_MISSING],
      }),
    })
    .post(`${PATH}/rotate-secret`, async ({ network, call, body }) => rotateSecret(network, call, body), {
      access: { permission: "write" },
      idempotent: true,
      audit: "webhook_endpoint.rotate_secret",
      body: RotateSecretBody,
      response: answer(EndpointWithSecret),
      detail: describe({
        id: "rotateWebhookSecret",
        tag: "Webhooks",
        summary: "Give a webhook endpoint another secret",
        description: "Both secrets sign until the overlap (seconds; a day unless said otherwise) is over.",
        bodyOptional: true,
        example: { overlap: 3600 },
        refusals: [ENDPOINT_MISSING],
      }),
    })
    .post(`${PATH}/test`, async ({ network, call }) => sendTest(network, call), {
      access: { permission: "write" },
      idempotent: true,
      audit: "webhook_endpoint.test",
      body: NoBody,
      response: answer(Delivery),
      detail: describe({
        id: "sendTestEvent",
        tag: "Webhooks",
        summary: "Send a test event",
        description: "Sends an event of the type `webhook.test`, to this endpoint alone.",
        refusals: [DISABLED, ENDPOINT_MISSING],
      }),
    })
    .get(`${PATH}/deliveries`, async ({ network, call }) => listDeliveries(network, call), {
      access: { permission: "read" },
      response: answer(DeliveryList),
      detail: describe({
        id: "listWebhookDeliveries",
        tag: "Webhooks",
        summary: "List what was delivered",
        description: "With every attempt and what came of it, newest first; kept for 30 days.",
        query: ListDeliveriesQuery,
        refusals: [...listRefusals(deliveryMissing), ENDPOINT_MISSING, OF_MISSING_INTENT],
      }),
    })
    .post(`${PATH}/deliveries/:deliveryId/redeliver`, async ({ network, call }) => redeliver(network, call), {
      access: { permission: "write" },
      idempotent: true,
      audit: "webhook_delivery.redeliver",
      body: NoBody,
      response: answer(Delivery),
      detail: describe({
        id: "redeliverWebhook",
        tag: "Webhooks",
        summary: "Deliver an event again",
        description: "At once, and with retries as if it were new; `webhook-id` stays the same.",
        refusals: [DISABLED, ENDPOINT_MISSING, deliveryMissing("deliveryId")],
      }),
    });
