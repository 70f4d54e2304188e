// Streams of server-sent events to payment pages. However many are open, a new block costs one reading of all their
// payments together. A stream is sent its payment when it opens and whenever that has changed; what it does not read is
// not kept for it: it is closed, and the browser opens it again.

import { BLOCK_CHANNEL } from "#core/db/chain.ts";
import { type Listener, listen } from "#core/db/listen.ts";
import type { IntentReader, IntentView } from "#core/db/read-intent.ts";
import type { IntentId } from "#core/ids.ts";
import { depthOf } from "#core/intent/status.ts";
import type { StreamClient, CheckoutStreams as Streams } from "../services.ts";
import { type Credits, findCredits } from "./credits.ts";
import { type CheckoutSources, showCheckout } from "./show-checkout.ts";

/** A process's streams in all, and those of one address: a page that gets none asks again now and then. */
const MOST_STREAMS = 2_000;
const MOST_OF_ADDRESS = 50;
/** Proxies drop connections on which nothing is sent for a minute. */
const HEARTBEAT_MS = 15_000;
/** A stream ends by itself; the browser opens it again. */
const LONGEST_MS = 15 * 60_000;
/** How long the browser waits before it does. */
const RETRY_MS = 2_000;
/** Bytes that may wait for a client, besides those in the network's buffers; a client with more is behind. */
const MOST_WAITING = 64 * 1024;
/** After so many seconds without a byte that the network took, heartbeats included, the connection is closed. */
const STALLED_AFTER = 60;
/** The same for what is left of a stream that has ended. */
const STALLED_AFTER_END = 5;

const encoder = new TextEncoder();

type Stream = {
  id: IntentId;
  client: StreamClient;
  openedAt: number;
  controller: Pick<ReadableStreamDefaultController<Uint8Array>, "desiredSize" | "enqueue" | "close">;
  /** The fingerprint of what was sent last. */
  sent?: string;
};

type Parts = CheckoutSources & {
  reader: IntentReader;
  onProblem(error: unknown): void;
};

/** What of a view is shown: a new block alone changes nothing once the funding is deep enough. */
function fingerprint(
  view: IntentView,
  credits: Credits,
  { config, offers, listedTokens }: CheckoutSources,
): string {
  const { status, settlementStatus, updated, transactionHash, order, head } = view;
  const depth = order ? Math.min(depthOf(head, order.createdBlock), config.chain.confirmations) : 0;
  const methods = offers.shown(view.terms.token).map(({ method }) => method);
  return [
    status,
    settlementStatus,
    updated,
    // The merchant may change it twice within a second of `updated`.
    view.intent.description,
    transactionHash,
    order?.updatedBlockHash,
    // A claim changes no order.
    order && credits(order),
    depth,
    listedTokens.isListed(view.intent.currency),
    ...methods,
  ].join(" ");
}

export class CheckoutStreams implements Streams {
  readonly #streams = new Set<Stream>();
  #listener: Listener | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #refreshing = false;
  #again = false;
  #stopped = false;

  constructor(private readonly parts: Parts) {}

  open(id: IntentId, client: StreamClient): ReadableStream<Uint8Array> | undefined {
    const ofAddress = [...this.#streams].filter((stream) => stream.client.address === client.address).length;
    if (this.#stopped || this.#streams.size >= MOST_STREAMS || ofAddress >= MOST_OF_ADDRESS) return undefined;
    let stream: Stream | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          client.closeAfterIdle(STALLED_AFTER);
          stream = { id, client, openedAt: Date.now(), controller };
          this.#streams.add(stream);
          this.#send(stream, encoder.encode(`retry: ${RETRY_MS}\n\n`));
          this.#wake();
        },
        cancel: () => {
          if (stream) this.#leave(stream);
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stream of [...this.#streams]) this.#end(stream);
    this.#pause();
    await this.#listener?.stop();
  }

  #send(stream: Stream, bytes: Uint8Array): void {
    if ((stream.controller.desiredSize ?? 0) > 0) stream.controller.enqueue(bytes);
    else this.#end(stream);
  }

  #end(stream: Stream): void {
    this.#leave(stream);
    // Without it the connection of a client that never reads would stay open, with what it was sent.
    stream.client.closeAfterIdle(STALLED_AFTER_END);
    stream.controller.close();
  }

  #leave(stream: Stream): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.#pause();
  }

  /** Without streams nothing is read. */
  #pause(): void {
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
    // For changes that come without a block, such as a payout.
    this.#poll ??= setInterval(this.#wake, config.pollIntervalMs);
    this.#heartbeat ??= setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#again = true;
    if (!this.#refreshing) void this.#refresh();
  };

  #beat(): void {
    const heartbeat = encoder.encode(": still here\n\n");
    for (const stream of [...this.#streams]) {
      if (Date.now() - stream.openedAt > LONGEST_MS) this.#end(stream);
      else this.#send(stream, heartbeat);
    }
  }

  async #refresh(): Promise<void> {
    this.#refreshing = true;
    try {
      while (this.#again) {
        this.#again = false;
        const byPayment = Map.groupBy(this.#streams, ({ id }) => id);
        const views = await this.parts.reader.findAll([...byPayment.keys()]);
        const credits = await findCredits(this.parts.database, views);
        const update = (view: IntentView) => this.#update(view, credits, byPayment.get(view.intent.id) ?? []);
        await Promise.all(views.map(update));
      }
    } catch (error) {
      // The pages keep what they show; the next poll reads again.
      this.parts.onProblem(error);
    } finally {
      this.#refreshing = false;
    }
  }

  /** Sends the payment to those of its streams that were not sent it as it is now. */
  async #update(view: IntentView, credits: Credits, streams: readonly Stream[]): Promise<void> {
    const current = fingerprint(view, credits, this.parts);
    const outdated = streams.filter(({ sent }) => sent !== current);
    if (outdated.length === 0) return;
    const shown = JSON.stringify(await showCheckout(this.parts, view, credits));
    const bytes = encoder.encode(`data: ${shown}\n\n`);
    for (const stream of outdated) {
      // It may have left meanwhile.
      if (!this.#streams.has(stream)) continue;
      stream.sent = current;
      this.#send(stream, bytes);
    }
  }
}
