// Streams of server-sent events to payment pages. However many are open, a new block costs one read of all their
// payments. A stream receives its payment when it opens and whenever it changes.

import { BLOCK_CHANNEL } from "#core/db/chain.ts";
import { type Listener, listen } from "#core/db/listen.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentReader, IntentView } from "#core/intent/read-intent.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import type { CheckoutStreams as Streams } from "../services.ts";
import { type EventStream, EventStreams, type StreamClient } from "../streams/event-streams.ts";
import { type Credits, findCredits } from "./credits.ts";
import { type CheckoutSources, showCheckout } from "./show-checkout.ts";

/** Per address. */
const MOST_OF_ADDRESS = 50;

type Subject = {
  id: IntentId;
  /** Fingerprint of what was sent last. */
  sent?: string;
};

type Stream = EventStream<Subject>;

type Parts = CheckoutSources & {
  reader: IntentReader;
  onProblem(error: unknown): void;
};

/** The displayed part of a view: a new block changes nothing once the funding is confirmed. */
function fingerprint(
  view: IntentView,
  credits: Credits,
  { config, offers, listedTokens }: CheckoutSources,
): string {
  const { status, settlementStatus, updated, transactionHash, order, head } = view;
  const depth = order
    ? Math.min(countConfirmations(head, order.createdBlock), config.chain.confirmations)
    : 0;
  const methods = offers.shown(view.terms.token).map(({ method }) => method);
  return [
    status,
    settlementStatus,
    updated,
    // `updated` has a resolution of seconds, and the merchant may change it twice within one.
    view.intent.description,
    transactionHash,
    order?.updatedBlockHash,
    // A claim does not change the order.
    order && credits(order),
    depth,
    listedTokens.isListed(view.intent.currency),
    ...methods,
  ].join(" ");
}

export class CheckoutStreams implements Streams {
  readonly #streams: EventStreams<Subject>;
  #listener: Listener | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;
  #refreshing = false;
  #again = false;

  constructor(private readonly parts: Parts) {
    this.#streams = new EventStreams<Subject>({
      mostOfOwner: MOST_OF_ADDRESS,
      onOpen: () => this.#wake(),
      onIdle: () => this.#pause(),
    });
  }

  open(id: IntentId, client: StreamClient): ReadableStream<Uint8Array> | undefined {
    return this.#streams.open({ id }, client);
  }

  async stop(): Promise<void> {
    this.#streams.stop();
    await this.#listener?.stop();
  }

  /** Nothing is read while there are no streams. */
  #pause(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #wake = (): void => {
    if (this.#streams.size === 0) return;
    const { config, onProblem } = this.parts;
    this.#listener ??= listen(
      config.databaseUrl,
      BLOCK_CHANNEL,
      this.#wake,
      { report: (_, error) => onProblem(error), resolve: () => undefined },
      "checkout-listener",
    );
    // For changes without a block, such as a payout.
    this.#poll ??= setInterval(this.#wake, config.pollIntervalMs);
    this.#again = true;
    if (!this.#refreshing) void this.#refresh();
  };

  async #refresh(): Promise<void> {
    this.#refreshing = true;
    try {
      while (this.#again) {
        this.#again = false;
        const byPayment = Map.groupBy(this.#streams, ({ subject }) => subject.id);
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

  /** Sends the payment to those of its streams that do not have its current state. */
  async #update(view: IntentView, credits: Credits, streams: readonly Stream[]): Promise<void> {
    const current = fingerprint(view, credits, this.parts);
    const outdated = streams.filter(({ subject }) => subject.sent !== current);
    if (outdated.length === 0) return;
    const shown = JSON.stringify(await showCheckout(this.parts, view, credits));
    for (const { subject } of outdated) subject.sent = current;
    this.#streams.send(outdated, shown);
  }
}
