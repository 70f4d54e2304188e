// The merchant and the payer of one payment, who know only the public API. They retry unanswered requests with the same
// Idempotency-Key, and repeat an action until they see its effect. Every step can be repeated.
import { setTimeout as delay } from "node:timers/promises";
import { encodeFunctionData, type Hex, keccak256 } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import {
  ORDER_STATUSES,
  type OrderStatus,
  restoreTerms,
  type StoredTerms,
  type Terms,
} from "#core/chain/terms.ts";
import type { Answer, ErrorBody, Escrow, Intent } from "#test/api/support/client.ts";
import type { PlannedPayment } from "./plan.ts";
import { type Merchant, TIMEOUT_MS, type World } from "./world.ts";

const PAUSE_MS = 300;
const GAS = 800_000n;

/** The contract's current record of an order. */
export type OnChain = {
  status: OrderStatus;
  payer: string;
  released: bigint;
  disbursed: bigint;
  refunded: bigint;
};

type Call = "createOrder" | "release" | "withdraw" | "reclaim";

/** What a client encountered besides successful responses. */
export type Met = { unreachable: number; unavailable: number; refused: string[] };

export class Actor {
  readonly payer: PrivateKeyAccount;
  readonly met: Met = { unreachable: 0, unavailable: 0, refused: [] };
  /** Hashes of the transactions that the payer and the payee sent themselves. */
  readonly sent: Hex[] = [];
  id = "";
  terms: Terms | undefined;
  #asked = 0;

  constructor(
    readonly world: World,
    readonly merchant: Merchant,
    readonly plan: PlannedPayment,
  ) {
    this.payer = privateKeyToAccount(plan.key);
  }

  /** Repeats a request until there is a response, and returns it. */
  async ask<T>(method: string, path: string, body?: object, key?: string): Promise<Answer<T>> {
    const name = key ?? `${this.plan.name}-${++this.#asked}`;
    const headers: Record<string, string> = method === "POST" ? { "Idempotency-Key": name } : {};
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const answer = await this.#try<T>(method, path, body, headers);
      if (answer && answer.status < 500 && answer.status !== 429) return answer;
      if (Date.now() > deadline) {
        throw new Error(`${this.plan.name}: ${method} ${path} had no answer for ${TIMEOUT_MS / 1_000} s.`);
      }
      await delay(PAUSE_MS);
    }
  }

  async #try<T>(method: string, path: string, body: object | undefined, headers: Record<string, string>) {
    try {
      const sent = body === undefined ? { headers } : { body, headers };
      const answer = await this.merchant.client.send<T>(method, path, sent);
      if (answer.status >= 500) this.met.unavailable++;
      return answer;
    } catch (error) {
      // A response that violates the OpenAPI document is an error of the gateway; a missing response is not.
      if (error instanceof Error && error.message.includes("OpenAPI")) throw error;
      this.met.unreachable++;
      return undefined;
    }
  }

  /** Reads a resource. @throws Error for any rejection */
  async read<T>(path: string): Promise<T> {
    const { status, body } = await this.ask<T>("GET", `/payment-intents/${path}`);
    if (status !== 200)
      throw new Error(`${this.plan.name}: GET ${path} answered ${status} ${JSON.stringify(body)}`);
    return body;
  }

  look(): Promise<Intent> {
    return this.read<Intent>(this.id);
  }

  async escrow(): Promise<Escrow["data"]> {
    return (await this.read<Escrow>(`${this.id}/escrow`)).data;
  }

  /** Sends a request. A rejection because of the payment's state is not an error, because the state may change soon. */
  async want(path: string, body: object = {}): Promise<void> {
    const { status, body: said } = await this.ask<ErrorBody>(
      "POST",
      `/payment-intents/${this.id}/${path}`,
      body,
    );
    if (status === 200) return;
    const { code, message } = said.error;
    if (status !== 400)
      throw new Error(`${this.plan.name}: POST ${path} answered ${status} ${code}: ${message}`);
    this.met.refused.push(`${path}: ${code}: ${message}`);
  }

  /** Repeats a request until its effect is visible. */
  async bring(what: string, isSo: () => Promise<boolean>, act: () => Promise<void>): Promise<void> {
    const deadline = Date.now() + TIMEOUT_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline) {
        const last = this.met.refused.at(-1) ?? "nothing was refused";
        throw new Error(
          `${this.plan.name} (${this.plan.story}, ${this.id}): not ${what} within ${TIMEOUT_MS / 1_000} s; ${last}.`,
        );
      }
      await this.#rebroadcast();
      await act();
      await delay(PAUSE_MS);
    }
  }

  /** Resubmits the transactions that the network has forgotten, as a wallet does. */
  async #rebroadcast(): Promise<void> {
    const { chain, proxy } = this.world;
    for (const hash of this.sent) {
      const isKnown = await chain.getTransaction({ hash }).then(
        () => true,
        () => false,
      );
      const serializedTransaction = proxy.raw.get(hash);
      if (isKnown || !serializedTransaction) continue;
      // The node rejects a transaction if another one with the same nonce has replaced it.
      await chain.sendRawTransaction({ serializedTransaction }).catch(() => undefined);
    }
  }

  /** Repeats an escrow operation until the escrow shows its effect. */
  bringEscrow(path: string, body: object, isSo: (escrow: Escrow["data"]) => boolean): Promise<void> {
    return this.bring(
      `done: ${path}`,
      async () => isSo(await this.escrow()),
      () => this.want(`escrow/${path}`, body),
    );
  }

  async knowTerms(): Promise<Terms> {
    if (this.terms) return this.terms;
    const path = `public/${this.id}/checkout`;
    const { data } = await this.read<{ data: { terms: StoredTerms } }>(path);
    this.terms = restoreTerms(data.terms);
    return this.terms;
  }

  /** Reads the contract's state from the node directly, without the proxy's faults. */
  async onChain(): Promise<OnChain> {
    const order = await this.world.chain.readContract({
      address: this.world.stack.contractAddress,
      abi: deliveryVsPaymentAbi,
      functionName: "getOrder",
      args: [await this.knowTerms()],
    });
    const { payer, released, disbursed, refunded } = order;
    return { status: ORDER_STATUSES[order.status] ?? "Created", payer, released, disbursed, refunded };
  }

  /**
   * Calls the contract like a wallet, and calls again if the network has forgotten the call.
   * @param first restores the state that the call depends on, which a reorg may remove in the meantime
   */
  async transact(
    account: PrivateKeyAccount,
    call: Call,
    isDone: (order: OnChain) => boolean,
    first?: () => Promise<void>,
  ): Promise<void> {
    const { chain } = this.world;
    let waiting: Hex | undefined;
    await this.bring(
      `on chain: ${call}`,
      async () => isDone(await this.onChain()),
      async () => {
        const known = waiting && (await chain.getTransaction({ hash: waiting }).catch(() => undefined));
        if (known && known.blockNumber === null) return;
        await first?.();
        waiting = await this.send(account, call);
      },
    );
  }

  /** Sends a contract call to the node once. */
  async send(account: PrivateKeyAccount, functionName: Call): Promise<Hex> {
    const { chain, stack, proxy } = this.world;
    const args = [await this.knowTerms()] as const;
    const data = encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName, args });
    const nonce = await chain.getTransactionCount({ address: account.address });
    const raw = await account.signTransaction({
      ...{ type: "eip1559", chainId: stack.chainId, nonce, to: stack.contractAddress, data, gas: GAS },
      ...{ maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n },
    });
    const hash = keccak256(raw);
    proxy.raw.set(hash, raw);
    this.sent.push(hash);
    // If the contract rejects the call, the node reports it immediately but still mines the transaction.
    await chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
    return hash;
  }
}
