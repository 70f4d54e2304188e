// Sends the simulated providers' webhooks. They are signed like Bridge's webhooks, and can be as unreliable as real
// ones.
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { backoffMs } from "#core/backoff.ts";
import type { StoredTransfer } from "./transfer-store.ts";

export type WebhookFaults = {
  /** Sends nothing. */
  silent: boolean;
  /** The number of times that each webhook is sent. */
  copies: number;
  /** Delays each webhook until the next webhook about the same transfer has been sent. */
  reversed: boolean;
  /** Signs webhooks with a key that the receiver does not know. */
  forged: boolean;
};

/** The receiver's response to a webhook. The status is 0 if there was no response. */
export type Delivery = { transferId: string; status: number };

const TRIES = 4;
const FIRST_PAUSE_MS = 200;

const newKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

const describeTransfer = (id: string, shown: object) => ({
  api_version: "v0",
  event_id: `wh_${randomUUID()}`,
  event_category: "transfer",
  event_type: "transfer.updated.status_transitioned",
  event_object_id: id,
  event_object: shown,
  event_created_at: new Date().toISOString(),
});

export class Webhooks {
  readonly faults: WebhookFaults = { silent: false, copies: 1, reversed: false, forged: false };
  readonly deliveries: Delivery[] = [];
  readonly #keys = newKeys();
  readonly #held = new Map<string, () => Promise<void>>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #forger: KeyObject | undefined;
  #stopped = false;

  /** @param describe builds the event from a transfer in the API's format */
  constructor(
    private readonly url: string,
    private readonly describe: (id: string, shown: object) => object = describeTransfer,
  ) {}

  /** In PEM format. */
  get publicKey(): string {
    return this.#keys.publicKey.export({ type: "spki", format: "pem" }).toString();
  }

  /** Sends a webhook when the transfer reaches each step after the first. */
  follow(transfer: { id: string; steps: readonly { at: number }[] }, show: () => object): void {
    for (const [i, { at }] of transfer.steps.entries()) {
      if (i > 0) this.#later(at - Date.now(), () => this.notify(transfer, show()));
    }
  }

  async notify({ id }: Pick<StoredTransfer, "id">, shown: object): Promise<void> {
    const { silent, copies, reversed } = this.faults;
    if (silent) return;
    const body = JSON.stringify(this.describe(id, shown));
    const send = async () => {
      for (let i = 0; i < copies; i++) await this.#post(id, body);
    };
    const earlier = this.#held.get(id);
    this.#held.delete(id);
    if (reversed && !earlier) {
      this.#held.set(id, send);
      return;
    }
    await send();
    await earlier?.();
  }

  /** Returns the signature header for this body, at the given time or the current time. */
  sign(body: string, at = Date.now()): string {
    if (this.faults.forged) this.#forger ??= newKeys().privateKey;
    const key = this.faults.forged && this.#forger ? this.#forger : this.#keys.privateKey;
    const digest = createHash("sha256").update(`${at}.${body}`).digest();
    return `t=${at},v0=${sign("sha256", digest, key).toString("base64")}`;
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #post(transferId: string, body: string, tries = TRIES): Promise<void> {
    const headers = { "Content-Type": "application/json", "X-Webhook-Signature": this.sign(body) };
    const status = await fetch(this.url, { method: "POST", body, headers }).then(
      (response) => response.status,
      () => 0,
    );
    this.deliveries.push({ transferId, status });
    if (status === 200 || tries <= 1) return;
    this.#later(backoffMs(FIRST_PAUSE_MS, Number.POSITIVE_INFINITY, TRIES - tries), () =>
      this.#post(transferId, body, tries - 1),
    );
  }

  #later(ms: number, what: () => Promise<void>): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void what();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }
}
