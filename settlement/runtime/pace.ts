// Limits how often a scan reads a page, so that it is a small load however much it has to read.
import { setTimeout as delay } from "node:timers/promises";

export class Pace {
  #next = Number.NEGATIVE_INFINITY;

  /**
   * @param everyMs the interval between pages
   * @param burst how many pages are read without a pause, after as many intervals without one
   */
  constructor(
    private readonly everyMs: number,
    private readonly burst: number,
  ) {}

  /** Resolves when the next page may be read, or when the scan is stopped. */
  async wait(stopping?: AbortSignal): Promise<void> {
    const now = performance.now();
    const waitMs = Math.max(this.#next, now - this.burst * this.everyMs) - now;
    this.#next = now + waitMs + this.everyMs;
    if (waitMs > 0) await pauseFor(waitMs, stopping);
  }
}

/** Resolves after this time, or when the signal is aborted. */
export const pauseFor = (ms: number, stopping?: AbortSignal): Promise<void> =>
  delay(ms, undefined, stopping && { signal: stopping }).catch((error: unknown) => {
    if (!stopping?.aborted) throw error;
  });
