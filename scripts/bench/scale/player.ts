// Acts as the merchant and as the payer of one payment.
import { randomBytes } from "node:crypto";
import pLimit from "p-limit";
import type { TypedDataDefinition } from "viem";
import { restoreTerms, type StoredTerms } from "#core/chain/terms.ts";
import type { LocalMerchant } from "#scripts/devnet/local-file.ts";
import { until } from "#scripts/shared/wait.ts";
import { insertIntent } from "#test/settlement/support/intents.ts";
import type { Payments } from "#test/settlement/support/payments.ts";
import { NEW } from "../shared/operations.ts";
import type { EventFeed } from "./event-feed.ts";

type Created = { id: string; data: { typedData: TypedDataDefinition } };

const TIMEOUT_MS = 60_000;

/** The payer has one account, so its transactions are sequential. */
const oneByOne = pLimit(1);

export class Player {
  id = "";
  /** The merchant's reference, different for each payment. */
  readonly reference = randomBytes(16).toString("hex");
  typedData: TypedDataDefinition | undefined;

  constructor(
    private readonly payments: Payments,
    private readonly feed: EventFeed,
    readonly merchant: LocalMerchant,
  ) {}

  get payer() {
    return this.payments.payer;
  }

  /** Retries after a 503, because the machine may be busy. If the retry gets a 400, the first attempt had succeeded. */
  async #send<T>(method: "GET" | "POST", path: string, body?: object): Promise<T> {
    const base = this.payments.stack.baseUrl.replace("localhost", "127.0.0.1");
    let asked = false;
    const answer = async () => {
      const response = await fetch(`${base}/payment-intents${path}`, {
        method,
        headers: { "x-api-key": this.merchant.apiKey, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      const isRepeated = asked;
      asked = true;
      if (response.status === 503) return null;
      if (!response.ok && !(isRepeated && response.status === 400))
        throw new Error(`${method} ${path} responded with ${response.status}: ${text}`);
      return { value: JSON.parse(text) as T };
    };
    return (await until(answer, { what: `${method} ${path} answered`, timeoutMs: TIMEOUT_MS })).value;
  }

  /** @param more overrides the defaults of every payment; metadata is merged */
  async create(more: { metadata?: object; autoRelease?: boolean } = {}): Promise<void> {
    const metadata = { orderId: this.reference, ...more.metadata };
    const created = await this.#send<Created>("POST", "", { ...NEW, ...more, metadata });
    this.id = created.id;
    this.typedData = created.data.typedData;
    this.feed.follow(this.id);
  }

  /** Inserts an intent whose funding deadline is about to pass; the API would set a deadline of seven days. */
  async insertExpiring(): Promise<void> {
    const { database, deployment, config, control } = this.payments;
    const { timestamp } = await control.getBlock();
    const { merchantId, account: payee } = this.merchant;
    const parties = { merchantId, payee, operator: config.operator, offRamp: config.offRamp };
    const more = { metadata: { orderId: this.reference } };
    const change = { fundingDeadline: Number(timestamp) + 1 };
    this.id = (await insertIntent(database, deployment, parties, more, change)).id;
    this.feed.follow(this.id);
  }

  post<T>(path: string, body: object): Promise<T> {
    return this.#send("POST", `/${this.id}/${path}`, body);
  }

  escrow<T>(path: string, body: object): Promise<T> {
    return this.post(`escrow/${path}`, body);
  }

  async payOnChain(): Promise<void> {
    const { data } = await this.#send<{ data: { terms: StoredTerms } }>("GET", `/public/${this.id}/checkout`);
    await oneByOne(() => this.payments.fund(restoreTerms(data.terms)));
  }

  /** Waits for the payment's first event of this type. */
  until(type: string): Promise<void> {
    return this.feed.until(this.id, type);
  }
}

/** Funds the payment with the payer's signature, which the gateway relays. Returns once the funding is confirmed. */
export async function fundAs(player: Player): Promise<void> {
  if (!player.typedData) throw new Error("The payment was not created by the API.");
  const signature = await player.payer.signTypedData(player.typedData);
  await player.post("confirm", { signature, payerAddress: player.payer.address });
  await player.until("payment_intent.succeeded");
}
