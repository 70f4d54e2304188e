// A merchant's HTTP endpoint that records every request and responds as the test specifies.
import { Webhook } from "standardwebhooks";
import { until } from "#scripts/shared/wait.ts";
import { faultOfWebhook } from "#test/support/documented.ts";

export type Received = {
  at: number;
  path: string;
  headers: Record<string, string>;
  body: string;
  event: {
    id: string;
    object: string;
    type: string;
    created: number;
    sequence: number | null;
    paymentIntentId: string | null;
    data: { object: Record<string, unknown>; previousAttributes?: Record<string, unknown> };
  };
};

export type Answering = (received: Received) => Response | Promise<Response>;

export class Receiver {
  readonly received: Received[] = [];
  readonly #faults: string[] = [];
  #answering: Answering = () => new Response("ok");
  readonly #server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: async (request) => {
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      const path = new URL(request.url).pathname;
      const received = { at: Date.now(), path, headers, body, event: JSON.parse(body) };
      this.received.push(received);
      const fault = this.events ? faultOfWebhook(request.headers, body) : undefined;
      if (fault) this.#faults.push(`${received.event.type}: ${fault}`);
      return this.#answering(received);
    },
  });

  /** @param events whether the requests are events; if so, they are checked against the OpenAPI document */
  constructor(private readonly events = true) {}

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/hook`;
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  answer(answering: Answering): void {
    this.#answering = answering;
  }

  /** Waits until at least `count` received requests match, and returns every match. */
  async untilReceived(count: number, isWanted: (received: Received) => boolean = () => true) {
    return until(
      async () => {
        const wanted = this.received.filter(isWanted);
        return wanted.length >= count ? wanted : null;
      },
      { what: `Receipt of ${count} webhooks`, timeoutMs: 30_000 },
    );
  }

  /** @throws Error if a received event does not match the OpenAPI document */
  async stop(): Promise<void> {
    await this.#server.stop(true);
    if (this.#faults.length > 0)
      throw new Error(`Webhooks do not match the OpenAPI document: ${this.#faults.join("; ")}`);
  }
}

/** Whether the Standard Webhooks library accepts the signature. */
export function verifies(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
