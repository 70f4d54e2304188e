// A payment's order on chain: proof of delivery, release, refund, disputes.
import type { Answer, Body } from "../operations.ts";
import type { RequestOptions } from "../options.ts";
import { path } from "../query.ts";
import type { Transport } from "../transport.ts";

export class Escrow {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  retrieve(intentId: string, options?: RequestOptions): Promise<Answer<"retrieveEscrow">> {
    return this.#transport.call("GET", path`/payment-intents/${intentId}/escrow`, {}, options);
  }

  /** Records a delivery proof. Depending on the order's terms, it releases the funds. */
  submitDeliveryProof(
    intentId: string,
    body: Body<"submitDeliveryProof">,
    options?: RequestOptions,
  ): Promise<Answer<"submitDeliveryProof">> {
    return this.#transport.call(
      "POST",
      path`/payment-intents/${intentId}/escrow/delivery-proof`,
      { body },
      options,
    );
  }

  listDeliveryProofs(intentId: string, options?: RequestOptions): Promise<Answer<"listDeliveryProofs">> {
    return this.#transport.call(
      "GET",
      path`/payment-intents/${intentId}/escrow/delivery-proofs`,
      {},
      options,
    );
  }

  markShipped(
    intentId: string,
    body?: Body<"markShipped">,
    options?: RequestOptions,
  ): Promise<Answer<"markShipped">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/ship`, { body }, options);
  }

  /** Releases the funds of an order with a valid proof to the merchant. */
  release(intentId: string, options?: RequestOptions): Promise<Answer<"releaseEscrow">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/release`, {}, options);
  }

  /** Returns the remaining amount, or part of it, to the payer. */
  refund(
    intentId: string,
    body?: Body<"refundEscrow">,
    options?: RequestOptions,
  ): Promise<Answer<"refundEscrow">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/refund`, { body }, options);
  }

  raiseDispute(
    intentId: string,
    body: Body<"raiseDispute">,
    options?: RequestOptions,
  ): Promise<Answer<"raiseDispute">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/dispute`, { body }, options);
  }

  resolveDispute(
    intentId: string,
    body: Body<"resolveDispute">,
    options?: RequestOptions,
  ): Promise<Answer<"resolveDispute">> {
    return this.#transport.call(
      "POST",
      path`/payment-intents/${intentId}/escrow/dispute/resolve`,
      { body },
      options,
    );
  }
}
