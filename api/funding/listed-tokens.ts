// The tokens in which the escrow contract accepts no new orders, because its owner can delist a token at any time. The
// contract rejects such an order itself; here the merchant finds out before a payer signs.
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { invalidRequest } from "#core/errors.ts";
import type { Currency } from "#core/money.ts";
import { rememberFor } from "#core/remember.ts";

/** How long a result is considered fresh. */
const FRESH_MS = 10_000;
/** How old a result may be that rejects a payment: a listed token must not be rejected by an old result. */
const REJECTS_MS = 1_000;

export class ListedTokens {
  #unlisted: ReadonlySet<Currency> = new Set();
  /** Until the node responds, its last response holds; initially, that the tokens were listed when they were verified. */
  readonly #ask = rememberFor(REJECTS_MS, () =>
    this.#read().then((unlisted) => {
      this.#unlisted = unlisted;
    }, this.onProblem),
  );
  readonly #askInBackground = rememberFor(FRESH_MS, this.#ask);

  constructor(
    private readonly client: ChainClient,
    private readonly deployment: Deployment,
    private readonly onProblem: (error: unknown) => void,
  ) {
    void this.#askInBackground();
  }

  /** Whether the contract, according to its last response, accepts new orders in the currency's token. */
  isListed(currency: Currency): boolean {
    void this.#askInBackground();
    return !this.#unlisted.has(currency);
  }

  /**
   * @throws ServiceError 400 if the network does not have the currency, or the contract accepts no new orders in its
   * token
   */
  async requireListed(currency: Currency): Promise<void> {
    const currencies = Object.keys(this.deployment.tokens);
    if (!currencies.includes(currency)) {
      throw invalidRequest(`Invalid currency: expected one of ${currencies.join(", ")}.`, "currency");
    }
    if (this.isListed(currency)) return;
    await this.#ask();
    if (!this.#unlisted.has(currency)) return;
    throw invalidRequest(`The escrow does not currently accept new payments in ${currency}.`, "currency");
  }

  async #read(): Promise<Set<Currency>> {
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
