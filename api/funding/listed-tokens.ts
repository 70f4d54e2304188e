// Caches the tokens in which the escrow contract accepts no new orders, because its owner can delist a token at
// any time. The contract itself rejects such orders. This check reports the problem to the merchant before a
// payer signs.
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain, type ChainClient } from "#core/chain/client.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import { invalidRequest } from "#core/errors.ts";
import type { Currency } from "#core/money.ts";
import { rememberFor } from "#core/remember.ts";

/** How long a result is considered fresh. */
const FRESH_MS = 10_000;
/** Maximum age of a result that rejects a payment, so that an outdated result does not reject a listed token. */
const REJECTS_MS = 1_000;

export class ListedTokens {
  #unlisted: ReadonlySet<Currency> = new Set();
  /**
   * If the node does not respond, the last response applies. Initially, all tokens count as listed, because they
   * were listed when the deployment was verified.
   */
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

  /** Whether the contract accepts new orders in the currency's token, according to its last response. */
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
