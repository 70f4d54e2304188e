// The webhook endpoints' routes.
import { Elysia } from "elysia";
import { type ErrorStatus, operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
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
  RotateSecretBody,
  UpdateEndpointBody,
} from "./schemas.ts";
import { sendTest } from "./send-test.ts";
import { updateEndpoint } from "./update-endpoint.ts";

const of = { tag: "Webhooks", answer: Endpoint, errors: [400, 401, 403, 404] as ErrorStatus[] };

export function webhookEndpointRoutes(services: Services, documented: boolean) {
  const { get, post } = operationsOf(services, documented);
  const secret = { ...of, answer: EndpointWithSecret };
  const delivery = { ...of, answer: Delivery };
  const create = { ...secret, summary: "Create a webhook endpoint", body: CreateEndpointBody };
  const list = { ...of, summary: "List webhook endpoints", answer: EndpointList };
  const retrieve = { ...of, summary: "Retrieve a webhook endpoint" };
  const update = { ...of, summary: "Update a webhook endpoint", body: UpdateEndpointBody };
  const remove = {
    ...of,
    summary: "Delete a webhook endpoint",
    answer: DeletedEndpoint,
    needs: "write" as const,
  };
  const rotate = { ...secret, summary: "Give a webhook endpoint another secret", body: RotateSecretBody };
  const test = { ...delivery, summary: "Send a test event" };
  const deliveries = { ...of, summary: "List what was delivered", answer: DeliveryList };
  const again = { ...delivery, summary: "Deliver an event again" };
  return new Elysia({ prefix: "/webhook-endpoints" })
    .post("", ...post(createEndpoint, create))
    .get("", ...get(listEndpoints, list))
    .get("/:endpointId", ...get(retrieveEndpoint, retrieve))
    .post("/:endpointId", ...post(updateEndpoint, update))
    .delete("/:endpointId", ...get(deleteEndpoint, remove))
    .post("/:endpointId/rotate-secret", ...post(rotateSecret, rotate))
    .post("/:endpointId/test", ...post(sendTest, test))
    .get("/:endpointId/deliveries", ...get(listDeliveries, deliveries))
    .post("/:endpointId/deliveries/:deliveryId/redeliver", ...post(redeliver, again));
}
