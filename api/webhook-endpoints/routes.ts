// The webhook endpoints' operations.
import { invalidRequest, invalidStatus, resourceMissing } from "#core/errors.ts";
import { get, type Operation, post, remove } from "../http/operation.ts";
import { BAD_LIMIT, OF_MISSING_INTENT } from "../http/refusals.ts";
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
const ENDPOINT_MISSING = resourceMissing("There is no webhook endpoint 'we_…'.", "endpointId");
const DELIVERY_MISSING = resourceMissing("There is no delivery 'delivery_…'.", "deliveryId");
const DISABLED = invalidStatus("This webhook endpoint is disabled: enable it first.");
const BAD_URL = invalidRequest("Invalid url: it must be an absolute URL.", "url");
const of = { tag: "Webhooks", answer: Endpoint, refusals: [ENDPOINT_MISSING] };

export const webhookEndpointOperations: Operation[] = [
  post("/webhook-endpoints", createEndpoint, {
    ...of,
    id: "createWebhookEndpoint",
    summary: "Create a webhook endpoint",
    description: "The secret that signs its webhooks is shown in this answer, and never again.",
    body: CreateEndpointBody,
    example: {
      url: "https://example.com/webhooks",
      enabled_events: ["payment_intent.*", "payout.failed"],
      description: "Order system",
    },
    answer: EndpointWithSecret,
    refusals: [BAD_URL],
  }),
  get("/webhook-endpoints", listEndpoints, {
    ...of,
    id: "listWebhookEndpoints",
    summary: "List webhook endpoints",
    query: ListEndpointsQuery,
    answer: EndpointList,
    refusals: [BAD_LIMIT, ENDPOINT_MISSING],
  }),
  get(PATH, retrieveEndpoint, {
    ...of,
    id: "retrieveWebhookEndpoint",
    summary: "Retrieve a webhook endpoint",
  }),
  post(PATH, updateEndpoint, {
    ...of,
    id: "updateWebhookEndpoint",
    summary: "Update a webhook endpoint",
    body: UpdateEndpointBody,
    example: { enabled_events: ["*"], status: "enabled" },
    refusals: [BAD_URL, ENDPOINT_MISSING],
  }),
  remove(PATH, deleteEndpoint, {
    ...of,
    id: "deleteWebhookEndpoint",
    summary: "Delete a webhook endpoint",
    answer: DeletedEndpoint,
  }),
  post(`${PATH}/rotate-secret`, rotateSecret, {
    ...of,
    id: "rotateWebhookSecret",
    summary: "Give a webhook endpoint another secret",
    description: "Both secrets sign until the overlap (seconds; a day unless said otherwise) is over.",
    body: RotateSecretBody,
    bodyOptional: true,
    example: { overlap: 3600 },
    answer: EndpointWithSecret,
  }),
  post(`${PATH}/test`, sendTest, {
    ...of,
    id: "sendTestEvent",
    summary: "Send a test event",
    answer: Delivery,
    refusals: [DISABLED, ENDPOINT_MISSING],
  }),
  get(`${PATH}/deliveries`, listDeliveries, {
    ...of,
    id: "listWebhookDeliveries",
    summary: "List what was delivered",
    query: ListDeliveriesQuery,
    answer: DeliveryList,
    refusals: [BAD_LIMIT, ENDPOINT_MISSING, DELIVERY_MISSING, OF_MISSING_INTENT],
  }),
  post(`${PATH}/deliveries/:deliveryId/redeliver`, redeliver, {
    ...of,
    id: "redeliverWebhook",
    summary: "Deliver an event again",
    answer: Delivery,
    refusals: [DISABLED, ENDPOINT_MISSING, DELIVERY_MISSING],
  }),
];
