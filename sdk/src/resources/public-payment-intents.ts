// Operations for payers. Without an API key, browsers can call them from any origin.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body, Query } from "../types/operations.ts";

export class PublicPaymentIntents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieves an intent's public data. `payerAddress` fills an unset `payer` in the typed data. */
  retrieve(
    intentId: string,
    query?: Query<"retrievePublicPaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"retrievePublicPaymentIntent">> {
    return this.#transport.call("GET", path`/payment-intents/public/${intentId}`, { query }, options);
  }

  /** Attaches a payer. This does not prevent other accounts from paying. */
  attachPayer(
    intentId: string,
    body: Body<"attachPayer">,
    options?: RequestOptions,
  ): Promise<Answer<"attachPayer">> {
    return this.#transport.call("POST", path`/payment-intents/public/${intentId}/payer`, { body }, options);
  }

  /** Confirms with the payer's signature, e.g. from `signIntent`. The gateway relays the transaction. */
  confirm(
    intentId: string,
    body: Body<"confirmPublicPaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"confirmPublicPaymentIntent">> {
    return this.#transport.call("POST", path`/payment-intents/public/${intentId}/confirm`, { body }, options);
  }

  /** Reports the hash of the payer's transaction. */
  reportTransactionHash(
    intentId: string,
    body: Body<"reportTransactionHash">,
    options?: RequestOptions,
  ): Promise<Answer<"reportTransactionHash">> {
    return this.#transport.call(
      "POST",
      path`/payment-intents/public/${intentId}/transaction-hash`,
      { body },
      options,
    );
  }

  /** Returns the data for a payment page. */
  retrieveCheckout(intentId: string, options?: RequestOptions): Promise<Answer<"retrieveCheckout">> {
    return this.#transport.call("GET", path`/payment-intents/public/${intentId}/checkout`, {}, options);
  }
}
