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

  /** Retrieves the escrow order's current state; before funding, its terms, with `funded: false`. */
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

  /** Refunds the payer: `body.amount`, or everything that is not released. */
  refund(
    intentId: string,
    body?: Body<"refundEscrow">,
    options?: RequestOptions,
  ): Promise<Answer<"refundEscrow">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/refund`, { body }, options);
  }

  /** Raises the merchant's dispute, or the payer's with `body.payerSignature`. Each side can raise one dispute. */
  raiseDispute(
    intentId: string,
    body: Body<"raiseDispute">,
    options?: RequestOptions,
  ): Promise<Answer<"raiseDispute">> {
    return this.#transport.call("POST", path`/payment-intents/${intentId}/escrow/dispute`, { body }, options);
  }

  /** Resolves the dispute as the arbiter, or with the signatures of payer and merchant over a `DisputeAgreement`. */
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
