// Streams of server-sent events to payment pages. However many are open, a new block costs one reading of all their
// payments together, and only what has changed is shown and sent.

import type { Config } from "#core/config.ts";
import { BLOCK_CHANNEL } from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { type Listener, listen } from "#core/db/listen.ts";
import type { IntentReader, IntentView } from "#core/db/read-intent.ts";
import type { IntentId } from "#core/ids.ts";
import { depthOf } from "#core/intent/status.ts";
import type { FundingOffers } from "../payment-intents/funding-offers.ts";
import { showCheckout } from "./show-checkout.ts";

/** A process's streams in all, and those of one address: a page that gets none asks again now and then. */
const MOST_STREAMS = 2_000;
const MOST_OF_ADDRESS = 50;
/** Proxies drop connections on which nothing is said for a minute. */
const HEARTBEAT_MS = 15_000;
/** A stream ends by itself; the browser opens it again. */
const LONGEST_MS = 15 * 60_000;
/** How long the browser waits before it does. */
const RETRY_MS = 2_000;

type Stream = {
  id: IntentId;
  visitor: string;
  openedAt: number;
  send(text: string): void;
  end(): void;
};

type Parts = {
  config: Config;
  database: Database;
  reader: IntentReader;
  offers: FundingOffers;
  onProblem(error: unknown): void;
};

/** What of a view is shown: a new block alone changes nothing once the funding is deep enough. */
function fingerprintOf(view: IntentView, { config, offers }: Pick<Parts, "config" | "offers">): string {
  const { status, settlementStatus, updated, transactionHash, order, head } = view;
  const depth = order ? Math.min(depthOf(head, order.createdBlock), config.chain.confirmations) : 0;
  const methods = offers.shown(view.terms.token).map(({ method }) => method);
  return [
    status,
    settlementStatus,
    updated,
    transactionHash,
    order?.updatedBlockHash,
    depth,
    ...methods,
  ].join(" ");
}

export class CheckoutStreams {
  readonly #streams = new Set<Stream>();
  readonly #sent = new Map<IntentId, string>();
  #listener: Listener | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #looking = false;
  #again = false;
  #stopped = false;

  constructor(private readonly parts: Parts) {}

  /** @returns undefined if there are too many */
  open(id: IntentId, visitor: string): ReadableStream<Uint8Array> | undefined {
    const ofVisitor = [...this.#streams].filter((stream) => stream.visitor === visitor).length;
    if (this.#stopped || this.#streams.size >= MOST_STREAMS || ofVisitor >= MOST_OF_ADDRESS) return undefined;
    const encoder = new TextEncoder();
    let stream: Stream | undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = {
          id,
          visitor,
          openedAt: Date.now(),
          send: (text) => controller.enqueue(encoder.encode(text)),
          end: () => controller.close(),
        };
        this.#streams.add(stream);
        stream.send(`retry: ${RETRY_MS}\n\n`);
        // Whoever has just come has been sent nothing yet.
        this.#sent.delete(id);
        this.#wake();
      },
      cancel: () => {
        if (stream) this.#leave(stream);
      },
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stream of [...this.#streams]) this.#end(stream);
    this.#rest();
    await this.#listener?.stop();
  }

  #end(stream: Stream): void {
    this.#leave(stream);
    stream.end();
  }

  #leave(stream: Stream): void {
    this.#streams.delete(stream);
    if (![...this.#streams].some(({ id }) => id === stream.id)) this.#sent.delete(stream.id);
    if (this.#streams.size === 0) this.#rest();
  }

  /** Nobody looks: nothing is read. */
  #rest(): void {
    clearInterval(this.#poll);
    clearInterval(this.#heartbeat);
    this.#poll = undefined;
    this.#heartbeat = undefined;
  }

  #wake = (): void => {
    if (this.#streams.size === 0) return;
    const { config, onProblem } = this.parts;
    this.#listener ??= listen(
      config.databaseUrl,
      BLOCK_CHANNEL,
      this.#wake,
      { met: (_, error) => onProblem(error), over: () => undefined },
      "checkout-listener",
    );
    // What no block tells of, such as a payout.
    this.#poll ??= setInterval(this.#wake, config.pollIntervalMs);
    this.#heartbeat ??= setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#again = true;
    if (!this.#looking) void this.#look();
  };

  #beat(): void {
    for (const stream of [...this.#streams]) {
      if (Date.now() - stream.openedAt > LONGEST_MS) this.#end(stream);
      else stream.send(": still here\n\n");
    }
  }

  async #look(): Promise<void> {
    this.#looking = true;
    try {
      while (this.#again) {
        this.#again = false;
        const ids = [...new Set([...this.#streams].map(({ id }) => id))];
        const views = await this.parts.reader.findAll(ids);
        await Promise.all(views.map((view) => this.#tell(view)));
      }
    } catch (error) {
      // The page keeps what it shows; the next look comes with the next poll.
      this.parts.onProblem(error);
    } finally {
      this.#looking = false;
    }
  }

  async #tell(view: IntentView): Promise<void> {
    const { id } = view.intent;
    const fingerprint = fingerprintOf(view, this.parts);
    if (this.#sent.get(id) === fingerprint) return;
    const text = `data: ${JSON.stringify(await showCheckout(this.parts, view))}\n\n`;
    this.#sent.set(id, fingerprint);
    for (const stream of this.#streams) if (stream.id === id) stream.send(text);
  }
}
