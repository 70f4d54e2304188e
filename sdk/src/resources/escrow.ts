// Operations on a payment's escrow order: delivery proofs, shipment, release, refund, disputes.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body } from "../types/operations.ts";

export class Escrow {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieves the current state of the escrow order. Before funding, returns its terms with `funded: false`. */
  retrieve(intentId: string, options?: RequestOptions): Promise<Answer<"retrieveEscrow">> {
    return this.#transport.call("GET", path`/payment-intents/${intentId}/escrow`, {}, options);
  }

  /** Submits a delivery proof. With `autoRelease`, a valid proof releases the funds. */
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

  /** Lists every proof recorded on chain, newest first. */
  listDeliveryProofs(intentId: string, options?: RequestOptions): Promise<Answer<"listDeliveryProofs">> {
    return this.#transport.call(
      "GET",
      path`/payment-intents/${intentId}/escrow/delivery-proofs`,
      {},
      options,
    );
  }

  /** Marks the order as shipped. Requires `body.oracleSignature` if the delivery oracle is not one of the parties. */
  markShipped(
    intentId: string,
    body?: Body<"markShipped">,
    options?: RequestOptions,
  ): Promise<Answer<"markShipped">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/ship`, { body }, options);
  }

  /** Releases the funds to the merchant. Requires a valid proof. */
  release(intentId: string, options?: RequestOptions): Promise<Answer<"releaseEscrow">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/release`, {}, options);
  }

  /** Refunds `body.amount` to the payer, or all funds that are not released if no amount is given. */
  refund(
    intentId: string,
    body?: Body<"refundEscrow">,
    options?: RequestOptions,
  ): Promise<Answer<"refundEscrow">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/refund`, { body }, options);
  }

  /**
   * Raises a dispute for the merchant or, with `body.payerSignature`, for the payer. Each side can raise one
   * dispute.
   */
  raiseDispute(
    intentId: string,
    body: Body<"raiseDispute">,
    options?: RequestOptions,
  ): Promise<Answer<"raiseDispute">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/dispute`, { body }, options);
  }

  /** Resolves the dispute as the arbiter, or with the payer's and the merchant's signatures of a `DisputeAgreement`. */
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
