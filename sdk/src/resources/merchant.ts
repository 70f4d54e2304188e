// The merchant's account, balance and audit log.
import type { RequestOptions } from "../http/options.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Query, Schemas } from "../types/operations.ts";
import { List } from "./list.ts";

export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  retrieve(options?: RequestOptions): Promise<Answer<"retrieveAccount">> {
    return this.#transport.call("GET", "/account", {}, options);
  }
}

export class Balance {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  retrieve(options?: RequestOptions): Promise<Answer<"retrieveBalance">> {
    return this.#transport.call("GET", "/balance", {}, options);
  }
}

export class AuditLogs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<"listAuditLogs">, options?: RequestOptions): List<Schemas["AuditLog"]> {
    return new List(
      (query, options) =>
        this.#transport.call<Answer<"listAuditLogs">>("GET", "/audit-logs", { query }, options),
      query,
      options,
    );
  }
}
