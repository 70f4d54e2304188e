// A merchant's payment intents.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body, Query, Schemas } from "../types/operations.ts";
import { List } from "./list.ts";
import { type PaymentIntentStatus, type WaitOptions, waitForStatus } from "./wait-for.ts";

export class PaymentIntents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a payment intent. The payer signs `data.typedData`, or pays at `data.paymentUrl`. */
  create(
    body: Body<"createPaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"createPaymentIntent">> {
    return this.#transport.call("POST", "/payment-intents", { body }, options);
  }

  /** Lists payment intents, newest first. `for await` iterates over all of them. */
  list(
    query?: Query<"listPaymentIntents">,
    options?: RequestOptions,
  ): List<Schemas["ExpandedPaymentIntent"]> {
    return new List(
      (query, options) =>
        this.#transport.call<Answer<"listPaymentIntents">>("GET", "/payment-intents", { query }, options),
      query,
      options,
    );
  }

  /** Exports all payment intents that match the filters as CSV. The response body is a stream. */
  exportCsv(query?: Query<"listPaymentIntents">, options?: RequestOptions): Promise<Response> {
    return this.#transport.open("/payment-intents", "text/csv", { query }, options);
  }

  /** Retrieves a payment intent with its current status, which is derived from the chain and the payouts. */
  retrieve(
    intentId: string,
    query?: Query<"retrievePaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"retrievePaymentIntent">> {
    return this.#transport.call("GET", path`/payment-intents/${intentId}`, { query }, options);
  }

  /** Updates the description and the metadata. */
  update(
    intentId: string,
    body: Body<"updatePaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"updatePaymentIntent">> {
    return this.#transport.call("PATCH", path`/payment-intents/${intentId}`, { body }, options);
  }

  /** Confirms the payment with the payer's signature (see `signIntent`). The gateway relays the transaction. */
  confirm(
    intentId: string,
    body: Body<"confirmPaymentIntent">,
    options?: RequestOptions,
  ): Promise<Answer<"confirmPaymentIntent">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/confirm`, { body }, options);
  }

  /** Cancels the payment. This is possible only before the payment is funded. */
  cancel(intentId: string, options?: RequestOptions): Promise<Answer<"cancelPaymentIntent">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/cancel`, {}, options);
  }

  /** Starts a new payout after a payout that failed permanently. */
  retrySettlement(intentId: string, options?: RequestOptions): Promise<Answer<"retrySettlement">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/settlement/retry`, {}, options);
  }

  /**
   * Waits until the payment has reached or passed a status. Follows the payment's event stream, or polls if
   * there is no stream. Without an API key, the public payment intent is read.
   * @throws UnexpectedStatusError if the payment is canceled or requires the merchant's action instead
   * @throws TimeoutError after `timeout`
   */
  waitFor(
    intentId: string,
    status: PaymentIntentStatus,
    options?: WaitOptions,
  ): Promise<Answer<"retrievePaymentIntent">> {
    return waitForStatus(this.#transport, intentId, status, options);
  }
}
