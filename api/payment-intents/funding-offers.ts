// The ways of funding that each token allows, as the chain said a while ago: tokens are upgraded, but not often.
import type { Address } from "viem";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import { findFundingOffers } from "#core/chain/find-funding-methods.ts";
import type { FundingOffer } from "#core/chain/funding-methods.ts";
import type { Deployment } from "#core/deployment.ts";

/** How long an answer is good for. */
const FRESH_MS = 600_000;
/** How long the chain is left alone that did not answer. */
const PAUSE_MS = 5_000;

type Known = { offers: Promise<FundingOffer[]>; goodUntil: number };

export class FundingOffers {
  readonly #known = new Map<Address, Known>();

  constructor(
    private readonly client: ChainClient,
    private readonly deployment: Deployment,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  /**
   * Every way but the plain allowance.
   * @throws ServiceError 503 when the chain cannot be asked
   */
  of(token: Address): Promise<FundingOffer[]> {
    const known = this.#known.get(token);
    if (known && Date.now() < known.goodUntil) return known.offers;
    const offers = askChain(() => findFundingOffers(this.client, this.deployment.contract, token));
    const asked: Known = { offers, goodUntil: Date.now() + FRESH_MS };
    this.#known.set(token, asked);
    offers.catch((error: unknown) => {
      asked.goodUntil = Date.now() + PAUSE_MS;
      this.onProblem(error);
    });
    return offers;
  }

  /** For whoever can do without: none while the chain cannot be asked. */
  shown(token: Address): Promise<FundingOffer[]> {
    return this.of(token).catch(() => []);
  }
}
