// Amounts on their way to the bank, with their payouts.
import { List } from "../list.ts";
import type { Answer, Query, Schemas } from "../operations.ts";
import type { RequestOptions } from "../options.ts";
import { path } from "../query.ts";
import type { Transport } from "../transport.ts";

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

  /** Exports all settlements that match the filters as CSV; the body is a stream. */
  exportCsv(query?: Query<"listSettlements">, options?: RequestOptions): Promise<Response> {
    return this.#transport.open("/settlements", "text/csv", { query }, options);
  }

  retrieve(settlementId: string, options?: RequestOptions): Promise<Answer<"retrieveSettlement">> {
    return this.#transport.call("GET", path`/settlements/${settlementId}`, {}, options);
  }
}
