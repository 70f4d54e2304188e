// Payment events: the same objects that webhooks deliver.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Query, Schemas } from "../types/operations.ts";
import { List } from "./list.ts";

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists events, newest first. With `ending_before`, iteration starts with the oldest event. */
  list(query?: Query<"listEvents">, options?: RequestOptions): List<Schemas["Event"]> {
    return new List(
      (query, options) => this.#transport.call<Answer<"listEvents">>("GET", "/events", { query }, options),
      query,
      options,
    );
  }

  retrieve(eventId: string, options?: RequestOptions): Promise<Answer<"retrieveEvent">> {
    return this.#transport.call("GET", path`/events/${eventId}`, {}, options);
  }
}
