// Follows the gateway's changes on one stream of server-sent events. Reconnects with backoff when the stream ends, and
// closes the stream while the page is hidden.
import { EventSourceParserStream } from "eventsource-parser/stream";
import { backoffMs } from "#core/backoff.ts";

const FIRST_RETRY_MS = 1_000;
const SLOWEST_RETRY_MS = 60_000;
/** A new stream first reports the changes of this most recent interval (api/dashboard/read-changes.ts). */
const REPORTED_MS = 8_000;

export type Followed = {
  headers: Record<string, string>;
  /** @param names the changed resources: kinds such as `payment_intent`, and ids */
  onChanges(names: string[]): void;
  /** Called after the stream was interrupted, because any resource may have changed in the meantime. */
  onGap(): void;
  /** @param isLost whether the gateway is unreachable or currently rejects the page's request for a stream */
  onLost(isLost: boolean): void;
  onSignedOut(): void;
};

const isVisible = (): boolean => document.visibilityState === "visible";

const untilVisible = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const check = () => {
      if (!isVisible() && !signal.aborted) return;
      document.removeEventListener("visibilitychange", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check, { signal });
    signal.addEventListener("abort", check);
    check();
  });

/** Resolves early when the user leaves the page. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

type Opened = { kind: "ended" } | { kind: "signed out" } | { kind: "refused"; retryAfterMs: number };

class Follower {
  #endedAt: number | undefined;
  #failures = 0;

  constructor(
    private readonly parts: Followed,
    private readonly stopped: AbortSignal,
  ) {}

  async run(): Promise<void> {
    while (!this.stopped.aborted) {
      await untilVisible(this.stopped);
      if (this.stopped.aborted) return;
      const result = await this.#followOnce();
      if (this.stopped.aborted) return;
      if (result.kind === "signed out") return this.parts.onSignedOut();
      if (!isVisible()) continue;
      if (result.kind === "ended") {
        await wait(FIRST_RETRY_MS, this.stopped);
        continue;
      }
      // The first failure may be a gateway restart, so it is not reported.
      if (this.#failures > 0) this.parts.onLost(true);
      const pause = backoffMs(FIRST_RETRY_MS, SLOWEST_RETRY_MS, this.#failures++);
      await wait(Math.max(pause, result.retryAfterMs), this.stopped);
    }
  }

  /** Returns when the stream ends or the page is hidden. */
  async #followOnce(): Promise<Opened> {
    const closing = new AbortController();
    const close = () => {
      if (!isVisible() || this.stopped.aborted) closing.abort();
    };
    document.addEventListener("visibilitychange", close, { signal: closing.signal });
    this.stopped.addEventListener("abort", close, { signal: closing.signal });
    try {
      const response = await fetch("/dashboard/changes", {
        headers: { Accept: "text/event-stream", ...this.parts.headers },
        cache: "no-store",
        signal: closing.signal,
      });
      if (response.status === 401) return { kind: "signed out" };
      if (!response.ok || !response.body) {
        return { kind: "refused", retryAfterMs: Number(response.headers.get("retry-after")) * 1_000 || 0 };
      }
      return await this.#read(response.body);
    } catch {
      // The next request shows whether the page closed the stream or the gateway is unreachable.
      return { kind: "refused", retryAfterMs: 0 };
    } finally {
      closing.abort();
    }
  }

  async #read(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Opened> {
    const hasGap = this.#failures > 0 || (this.#endedAt ?? Date.now()) < Date.now() - REPORTED_MS;
    if (hasGap) this.parts.onGap();
    this.#failures = 0;
    this.parts.onLost(false);
    try {
      const events = body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
        .getReader();
      for (let next = await events.read(); !next.done; next = await events.read()) {
        this.parts.onChanges(JSON.parse(next.value.data) as string[]);
      }
    } finally {
      this.#endedAt = Date.now();
    }
    return { kind: "ended" };
  }
}

/** @returns a function that stops following */
export function followChanges(parts: Followed): () => void {
  const stop = new AbortController();
  void new Follower(parts, stop.signal).run();
  return () => stop.abort();
}
