// Caches the funding methods that each token supports, because tokens are rarely upgraded. Callers wait only until the
// first result is known; a stale result is refreshed in the background.
import type { Address } from "viem";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import type { FundingOffer } from "#core/chain/funding-methods.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { findFundingOffers } from "./find-funding-methods.ts";

/** How long a result is considered fresh. */
const FRESH_MS = 600_000;
/** Delay before the chain is asked again after a failure. */
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
   * Returns the token's funding methods other than the plain allowance, from the cache if a result is known.
   * @throws ServiceError 503 if the chain is unreachable and nothing is cached
   */
  async of(token: Address): Promise<FundingOffer[]> {
    const { last, asked } = this.#known(token);
    return last ?? asked;
  }

  /** Returns the cached result, or none: for callers that must not wait for the chain. */
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
