// The merchant's account, balance and audit log.
import { List } from "../list.ts";
import type { Answer, Query, Schemas } from "../operations.ts";
import type { RequestOptions } from "../options.ts";
import type { Transport } from "../transport.ts";

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
