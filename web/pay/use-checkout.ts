// Loads the current state of a payment from server-sent events, or by polling at the spec's intervals while there is no
// stream.
import { useEffect, useState } from "react";
import type { IntentId } from "#core/ids.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import { Refusal, Unreachable } from "../ui/api-errors.ts";
import { callGateway } from "./payment/call-gateway.ts";
import type { Checkout } from "./payment/checkout.ts";

/** Milliseconds between polls (spec, "Events": recommended polling intervals). */
const INTERVAL: Record<IntentStatus, number> = {
  INITIATED: 5_000,
  REQUIRES_SIGNATURE: 5_000,
  PROCESSING: 2_000,
  SUCCEEDED: 10_000,
  REQUIRES_ACTION: 5_000,
  SETTLED: 30_000,
  FINAL: 60_000,
  CANCELED: 60_000,
};
const UNREACHED_MS = 3_000;

export type Loaded = {
  checkout: Checkout | undefined;
  /** The payment does not exist. */
  unknown: boolean;
  /** The gateway is unreachable; the data shown may be stale. */
  lost: boolean;
};

/** Follows one payment until stopped. */
class Follower {
  #checkout: Checkout | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #events: EventSource | undefined;
  #stopped = false;

  constructor(
    private readonly id: IntentId,
    private readonly show: (loaded: Loaded) => void,
    first: Checkout | undefined,
  ) {
    this.#checkout = first;
    if (first) {
      this.#events = this.#listen();
      this.#timer = setTimeout(() => this.#askUnlessStreaming(), INTERVAL[first.status]);
    } else void this.#ask();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#events?.close();
  }

  #take(checkout: Checkout): void {
    this.#checkout = checkout;
    this.show({ checkout, unknown: false, lost: false });
  }

  /** Requests the first state, because a stream that fails to open does not report a reason. */
  async #ask(): Promise<void> {
    let next: number;
    try {
      const checkout: Checkout = await callGateway((operations) => operations.retrieveCheckout(this.id));
      if (this.#stopped) return;
      this.#take(checkout);
      this.#events ??= this.#listen();
      next = INTERVAL[checkout.status];
    } catch (error) {
      if (this.#stopped) return;
      if (error instanceof Refusal && error.status === 404) {
        this.show({ checkout: undefined, unknown: true, lost: false });
        return;
      }
      // A rate limit only delays the next request; the connection is not lost.
      const lost = error instanceof Unreachable;
      this.show({ checkout: this.#checkout, unknown: false, lost });
      const wait = error instanceof Refusal ? error.retryAfterMs : 0;
      next = lost ? UNREACHED_MS : Math.max(INTERVAL.INITIATED, wait);
    }
    this.#timer = setTimeout(() => this.#askUnlessStreaming(), next);
  }

  #askUnlessStreaming(): void {
    if (this.#events?.readyState === EventSource.OPEN) {
      this.#timer = setTimeout(() => this.#askUnlessStreaming(), INTERVAL.INITIATED);
    } else {
      // The browser closes the stream permanently if the response is not a stream. The next successful request reopens
      // the stream.
      if (this.#events?.readyState === EventSource.CLOSED) this.#events = undefined;
      void this.#ask();
    }
  }

  #listen(): EventSource {
    const events = new EventSource(`/v1/payment-intents/public/${this.id}/checkout`);
    events.onmessage = ({ data }) => {
      if (!this.#stopped) this.#take(JSON.parse(data) as Checkout);
    };
    events.onerror = () => {
      // Streams end occasionally. The next request shows whether the gateway is reachable.
      clearTimeout(this.#timer);
      if (!this.#stopped) this.#timer = setTimeout(() => this.#askUnlessStreaming(), UNREACHED_MS / 3);
    };
    return events;
  }
}

/**
 * @param id undefined if the page's URL contains no payment id
 * @param first initial data
 */
export function useCheckout(id: IntentId | undefined, first: Checkout | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ checkout: first, unknown: id === undefined, lost: false });
  useEffect(() => {
    if (id === undefined) return;
    const follower = new Follower(id, setLoaded, first);
    return () => follower.stop();
  }, [id, first]);
  return loaded;
}
