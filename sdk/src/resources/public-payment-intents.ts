// Operations for payers. They require no API key, and browsers can call them from any origin.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body, Query } from "../types/operations.ts";

export class PublicPaymentIntents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieves a public payment intent. With `payerAddress`, its typed data contains that payer. */
  retrieve(
    intentId: string,
    query?: Query<"retrievePublicPaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"retrievePublicPaymentIntent">> {
    return this.#transport.call("GET", path`/payment-intents/public/${intentId}`, { query }, options);
  }

  /** Records the payer who is about to pay. This does not exclude other payers. */
  attachPayer(
    intentId: string,
    body: Body<"attachPayer">,
    options?: RequestOptions,
  ): Promise<Answer<"attachPayer">> {
    return this.#transport.call("POST", path`/payment-intents/public/${intentId}/payer`, { body }, options);
  }

  /** Confirms the payment with the payer's signature (see `signIntent`). The gateway relays the transaction. */
  confirm(
    intentId: string,
    body: Body<"confirmPublicPaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"confirmPublicPaymentIntent">> {
    return this.#transport.call("POST", path`/payment-intents/public/${intentId}/confirm`, { body }, options);
  }

  /** Reports the transaction that funds the order. */
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

  /** Returns everything that a payment page shows. */
  retrieveCheckout(intentId: string, options?: RequestOptions): Promise<Answer<"retrieveCheckout">> {
    return this.#transport.call("GET", path`/payment-intents/public/${intentId}/checkout`, {}, options);
  }
}
