// The merchant's API keys. Managing them requires a dashboard session, which a custom `fetch` can send.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body, Query, Schemas } from "../types/operations.ts";
import { List } from "./list.ts";

export class ApiKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates an API key. Only this response contains the key. */
  create(body: Body<"createApiKey">, options?: RequestOptions): Promise<Answer<"createApiKey">> {
    return this.#transport.call("POST", "/api-keys", { body }, options);
  }

  list(query?: Query<"listApiKeys">, options?: RequestOptions): List<Schemas["ApiKey"]> {
    return new List(
      (query, options) => this.#transport.call<Answer<"listApiKeys">>("GET", "/api-keys", { query }, options),
      query,
      options,
    );
  }

  rotate(
    keyId: string,
    body?: Body<"rotateApiKey">,
    options?: RequestOptions,
  ): Promise<Answer<"rotateApiKey">> {
    return this.#transport.call("POST", path`/api-keys/${keyId}/rotate`, { body }, options);
  }

  revoke(keyId: string, options?: RequestOptions): Promise<Answer<"revokeApiKey">> {
    return this.#transport.call("POST", path`/api-keys/${keyId}/revoke`, {}, options);
  }
}
