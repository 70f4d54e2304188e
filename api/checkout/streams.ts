// Streams of server-sent events to payment pages. Each new block causes a single read of all their payments,
// regardless of the number of streams. A stream sends its payment when it opens and whenever the payment
// changes.
import { BLOCK_CHANNEL } from "#core/db/chain.ts";
import { type Listener, listen } from "#core/db/listen.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentReader, IntentView } from "#core/intent/read-intent.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import type { CheckoutStreams as Streams } from "../services.ts";
import { type EventStream, EventStreams, type StreamClient } from "../streams/event-streams.ts";
import { type Credits, findCredits } from "./credits.ts";
import { type CheckoutSources, showCheckout } from "./show-checkout.ts";

/** Maximum number of open streams per address. */
const MOST_OF_ADDRESS = 50;

type Subject = {
  id: IntentId;
  /** Fingerprint of the state that was sent last. */
  sent?: string;
};

type Stream = EventStream<Subject>;

type Dependencies = CheckoutSources & {
  reader: IntentReader;
  onProblem(error: unknown): void;
};

/**
 * Returns a fingerprint of the displayed part of a view. Once the funding is confirmed, new blocks do not change
 * it.
 */
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
    // `updated` has a resolution of seconds, and the merchant may change the description twice within one second.
    view.intent.description,
    transactionHash,
    order?.updatedBlockHash,
    // A claim of credits does not change the order.
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

  constructor(private readonly dependencies: Dependencies) {
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
    const { config, onProblem } = this.dependencies;
    this.#listener ??= listen(
      config.databaseUrl,
      BLOCK_CHANNEL,
      this.#wake,
      { report: (_, error) => onProblem(error), resolve: () => undefined },
      "checkout-listener",
    );
    // Polls for changes that occur without a new block, such as those of a payout.
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
        const views = await this.dependencies.reader.findAll([...byPayment.keys()]);
        const credits = await findCredits(this.dependencies.database, views);
        const update = (view: IntentView) => this.#update(view, credits, byPayment.get(view.intent.id) ?? []);
        await Promise.all(views.map(update));
      }
    } catch (error) {
      // The pages keep their current state until the next poll succeeds.
      this.dependencies.onProblem(error);
    } finally {
      this.#refreshing = false;
    }
  }

  /** Sends the payment to its streams that have not received its current state. */
  async #update(view: IntentView, credits: Credits, streams: readonly Stream[]): Promise<void> {
    const current = fingerprint(view, credits, this.dependencies);
    const outdated = streams.filter(({ subject }) => subject.sent !== current);
    if (outdated.length === 0) return;
    const shown = JSON.stringify(await showCheckout(this.dependencies, view, credits));
    for (const { subject } of outdated) subject.sent = current;
    this.#streams.send(outdated, shown);
  }
}
