// In which tokens the escrow contract takes no new orders: its owner may take one off the list at any time. The contract
// refuses such an order itself; here a merchant learns of it before a payer signs for it.
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { invalidRequest } from "#core/errors.ts";
import type { Currency } from "#core/money.ts";

/** How long an answer is not asked for again. */
const FRESH_MS = 10_000;

export class ListedTokens {
  #unlisted: ReadonlySet<Currency> = new Set();
  #askAgainAt = 0;

  constructor(
    private readonly client: ChainClient,
    private readonly deployment: Deployment,
    private readonly onProblem: (error: unknown) => void,
  ) {
    this.#askInBackground();
  }

  /** Whether the contract, as it answered last, takes new orders in the currency's token. */
  isListed(currency: Currency): boolean {
    this.#askInBackground();
    return !this.#unlisted.has(currency);
  }

  /** @throws ServiceError 400 when the network has no such currency, or the contract takes no new orders in its token */
  requireListed(currency: Currency): void {
    const currencies = Object.keys(this.deployment.tokens);
    if (!currencies.includes(currency)) {
      throw invalidRequest(`Invalid currency: expected one of ${currencies.join(", ")}.`, "currency");
    }
    if (this.isListed(currency)) return;
    throw invalidRequest(`The escrow takes no new payments in ${currency} right now.`, "currency");
  }

  /** Until the node answers, what it answered last holds; at first, that the tokens were listed when they were verified. */
  #askInBackground(): void {
    if (Date.now() < this.#askAgainAt) return;
    this.#askAgainAt = Date.now() + FRESH_MS;
    this.#ask().then((unlisted) => {
      this.#unlisted = unlisted;
    }, this.onProblem);
  }

  async #ask(): Promise<Set<Currency>> {
    const { contract: address, tokens } = this.deployment;
    const named = Object.entries(tokens);
    const contract = { address, abi: deliveryVsPaymentAbi } as const;
    const listed = await askChain(() =>
      Promise.all(
        named.map(([, token]) =>
          this.client.readContract({ ...contract, functionName: "isTokenListed", args: [token] }),
        ),
      ),
    );
    return new Set(named.flatMap(([currency], i) => (listed[i] ? [] : [currency])));
  }
}
