// Webhook endpoints and the log of their deliveries.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body, Query, Schemas } from "../types/operations.ts";
import { List } from "./list.ts";

export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates an endpoint. Only this response contains the secret (`whsec_…`). Store the secret for
   * `webhooks.verify`.
   */
  create(
    body: Body<"createWebhookEndpoint">,
    options?: RequestOptions,
  ): Promise<Answer<"createWebhookEndpoint">> {
    return this.#transport.call("POST", "/webhook-endpoints", { body }, options);
  }

  list(query?: Query<"listWebhookEndpoints">, options?: RequestOptions): List<Schemas["WebhookEndpoint"]> {
    return new List(
      (query, options) =>
        this.#transport.call<Answer<"listWebhookEndpoints">>("GET", "/webhook-endpoints", { query }, options),
      query,
      options,
    );
  }

  retrieve(endpointId: string, options?: RequestOptions): Promise<Answer<"retrieveWebhookEndpoint">> {
    return this.#transport.call("GET", path`/webhook-endpoints/${endpointId}`, {}, options);
  }

  update(
    endpointId: string,
    body: Body<"updateWebhookEndpoint">,
    options?: RequestOptions,
  ): Promise<Answer<"updateWebhookEndpoint">> {
    return this.#transport.call("POST", path`/webhook-endpoints/${endpointId}`, { body }, options);
  }

  /** Deletes an endpoint. The request is never retried automatically, because it accepts no Idempotency-Key. */
  delete(endpointId: string, options?: RequestOptions): Promise<Answer<"deleteWebhookEndpoint">> {
    return this.#transport.call("DELETE", path`/webhook-endpoints/${endpointId}`, {}, options);
  }

  /**
   * Creates a new secret. Until the overlap ends, deliveries are signed with both secrets, and `webhooks.verify`
   * accepts either or both.
   */
  rotateSecret(
    endpointId: string,
    body?: Body<"rotateWebhookSecret">,
    options?: RequestOptions,
  ): Promise<Answer<"rotateWebhookSecret">> {
    return this.#transport.call(
      "POST",
      path`/webhook-endpoints/${endpointId}/rotate-secret`,
      { body },
      options,
    );
  }

  sendTestEvent(endpointId: string, options?: RequestOptions): Promise<Answer<"sendTestEvent">> {
    return this.#transport.call("POST", path`/webhook-endpoints/${endpointId}/test`, {}, options);
  }

  listDeliveries(
    endpointId: string,
    query?: Query<"listWebhookDeliveries">,
    options?: RequestOptions,
  ): List<Schemas["WebhookDelivery"]> {
    const deliveries = path`/webhook-endpoints/${endpointId}/deliveries`;
    return new List(
      (query, options) =>
        this.#transport.call<Answer<"listWebhookDeliveries">>("GET", deliveries, { query }, options),
      query,
      options,
    );
  }

  redeliver(
    endpointId: string,
    deliveryId: string,
    options?: RequestOptions,
  ): Promise<Answer<"redeliverWebhook">> {
    return this.#transport.call(
      "POST",
      path`/webhook-endpoints/${endpointId}/deliveries/${deliveryId}/redeliver`,
      {},
      options,
    );
  }
}
