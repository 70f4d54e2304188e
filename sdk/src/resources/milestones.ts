// The milestones of an order whose release type is MILESTONE_LOCKED.
import type { RequestOptions } from "../http/options.ts";
import { path } from "../http/query.ts";
import type { Transport } from "../http/transport.ts";
import type { Answer, Body } from "../types/operations.ts";

export class Milestones {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(
    intentId: string,
    body: Body<"createMilestone">,
    options?: RequestOptions,
  ): Promise<Answer<"createMilestone">> {
    return this.#transport.call(
      "POST",
      path`/payment-intents/${intentId}/escrow/milestones`,
      { body },
      options,
    );
  }

  /** Lists all milestones in index order. */
  list(intentId: string, options?: RequestOptions): Promise<Answer<"listMilestones">> {
    return this.#transport.call("GET", path`/payment-intents/${intentId}/escrow/milestones`, {}, options);
  }

  retrieve(
    intentId: string,
    milestoneId: string,
    options?: RequestOptions,
  ): Promise<Answer<"retrieveMilestone">> {
    return this.#transport.call(
      "GET",
      path`/payment-intents/${intentId}/escrow/milestones/${milestoneId}`,
      {},
      options,
    );
  }

  complete(
    intentId: string,
    milestoneId: string,
    body: Body<"completeMilestone">,
    options?: RequestOptions,
  ): Promise<Answer<"completeMilestone">> {
    return this.#transport.call(
      "POST",
      path`/payment-intents/${intentId}/escrow/milestones/${milestoneId}/complete`,
      { body },
      options,
    );
  }
}
