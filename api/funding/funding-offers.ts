// The ways of funding that each token allows, as the chain said last: tokens are upgraded, but not often. Who asks
// waits only as long as nothing is known; an old answer is refreshed in the background.
import type { Address } from "viem";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import type { FundingOffer } from "#core/chain/funding-methods.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { findFundingOffers } from "./find-funding-methods.ts";

/** How long an answer is not asked for again. */
const FRESH_MS = 600_000;
/** How long the chain is left alone that did not answer. */
const PAUSE_MS = 5_000;

type Known = { last: FundingOffer[] | undefined; asked: Promise<FundingOffer[]>; askAgainAt: number };

export class FundingOffers {
  readonly #tokens = new Map<Address, Known>();

  constructor(
    private readonly client: ChainClient,
    private readonly deployment: Deployment,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  /**
   * Every way but the plain allowance.
   * @throws ServiceError 503 when the chain cannot be asked, and has never been
   */
  async of(token: Address): Promise<FundingOffer[]> {
    const { last, asked } = this.#known(token);
    return last ?? asked;
  }

  /** The present answer, for callers that do not require one. */
  shown(token: Address): FundingOffer[] {
    return this.#known(token).last ?? [];
  }

  #known(token: Address): Known {
    const known = this.#tokens.get(token);
    if (known && Date.now() < known.askAgainAt) return known;
    const asked = askChain(() => findFundingOffers(this.client, this.deployment.contract, token));
    const next: Known = { last: known?.last, asked, askAgainAt: Date.now() + FRESH_MS };
    this.#tokens.set(token, next);
    asked.then(
      (offers) => {
        next.last = offers;
      },
      (error: unknown) => {
        next.askAgainAt = Date.now() + PAUSE_MS;
        this.onProblem(error);
      },
    );
    return next;
  }
}
