// Settlements: amounts on their way to the merchant's bank, with their payouts.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Query, Schemas } from "../types/operations.ts";
import { List } from "./list.ts";

export class Settlements {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<"listSettlements">, options?: RequestOptions): List<Schemas["Settlement"]> {
    return new List(
      (query, options) =>
        this.#transport.call<Answer<"listSettlements">>("GET", "/settlements", { query }, options),
      query,
      options,
    );
  }

  /** Exports all settlements that match the filters as CSV. The response body is a stream. */
  exportCsv(query?: Query<"listSettlements">, options?: RequestOptions): Promise<Response> {
    return this.#transport.open("/settlements", "text/csv", { query }, options);
  }

  retrieve(settlementId: string, options?: RequestOptions): Promise<Answer<"retrieveSettlement">> {
    return this.#transport.call("GET", path`/settlements/${settlementId}`, {}, options);
  }
}
