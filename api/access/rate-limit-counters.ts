// Counts requests in this process and exchanges the counts with the store shared by all API processes, so that a
// request costs no statement. docs/decisions/0019-rate-limits.md explains how far replicas can exceed a limit together.
import { describe, type Logger } from "#core/log.ts";
import { inTime } from "#core/runtime/readiness.ts";
import { type RateLimitStore, STORE_TIMEOUT_MS, type WindowCount } from "./rate-limit-store.ts";

/** Delay between two exchanges with the store. */
export const EXCHANGE_MS = 250;

/** Delay before a failed store is called again. Until then, each process counts on its own. */
const RETRY_MS = 2_000;
const WINDOWS_PER_STATEMENT = 2_000;
const CLEAN_UP_MS = 60_000;

class Window {
  /** The store's count at the last exchange, including other processes. */
  stored: number;
  /** Requests of this process that the store has not counted yet. */
  pending = 0;
  /** Unix milliseconds. */
  endsAt: number;

  constructor(stored: number, endsAt: number) {
    this.stored = stored;
    this.endsAt = endsAt;
  }

  get count(): number {
    return this.stored + this.pending;
  }
}

/** A window's requests in the current exchange. */
type Sent = WindowCount & { window: Window };

/** A window's state, as known to this process. */
export type WindowState = Readonly<Pick<Window, "count" | "endsAt">>;

export class RateLimitCounters {
  readonly #windows = new Map<string, Window>();
  /** Keys of windows with pending requests. */
  readonly #changed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #exchange: Promise<void> | undefined;
  #isAway = false;
  /** Monotonic time of this process (`performance.now()`), as is `#cleanUpAt`. */
  #retryAt = 0;
  #cleanUpAt = performance.now() + CLEAN_UP_MS;
  #isStopped = false;

  constructor(
    private readonly store: RateLimitStore,
    private readonly log: Logger,
  ) {}

  /**
   * Loads unknown windows from the store, because another process may have started them.
   * @returns undefined if no window has to be loaded; the promise never rejects
   */
  prepare(keys: readonly string[]): Promise<unknown> | undefined {
    if (performance.now() < this.#retryAt) return undefined;
    const unknown = keys.filter((key) => !this.find(key));
    return unknown.length === 0 ? undefined : Promise.all(unknown.map((key) => this.#load(key)));
  }

  /** @returns undefined if the window has not started, or has ended */
  find(key: string): WindowState | undefined {
    return this.#find(key);
  }

  /** Counts a request. @param durationMs duration of the window if it starts with this request */
  count(key: string, durationMs: number): WindowState {
    let window = this.#find(key);
    if (!window) {
      window = new Window(0, Date.now() + durationMs);
      this.#windows.set(key, window);
    }
    window.pending++;
    this.#changed.add(key);
    this.#schedule(EXCHANGE_MS);
    return window;
  }

  /** Stores the pending counts. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#exchange;
    while (this.#changed.size > 0 && !this.#isAway) await this.#exchangeCounts();
    await this.store.stop();
  }

  #find(key: string): Window | undefined {
    const window = this.#windows.get(key);
    return window && window.endsAt > Date.now() ? window : undefined;
  }

  async #load(key: string): Promise<void> {
    try {
      // If the store hangs, this load could wait behind other statements for longer than a statement may take.
      const total = await inTime(this.store.load(key), STORE_TIMEOUT_MS);
      this.#onAnswer();
      // Another request may have started the window in the meantime. The exchange then adds both counts.
      if (total && !this.#find(key)) this.#windows.set(key, new Window(total.count, total.endsAt));
    } catch (error) {
      this.#onFailure(error);
    }
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#exchange || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#exchange = this.#exchangeCounts().finally(() => {
        this.#exchange = undefined;
        if (this.#changed.size > 0) this.#schedule(this.#isAway ? RETRY_MS : EXCHANGE_MS);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Adds pending requests to the store's counts, and adopts its totals. */
  async #exchangeCounts(): Promise<void> {
    try {
      let batch: Sent[];
      do {
        batch = this.#takeBatch();
        if (batch.length > 0) await this.#exchangeBatch(batch);
      } while (batch.length === WINDOWS_PER_STATEMENT);
      await this.#cleanUp();
      this.#onAnswer();
    } catch (error) {
      this.#onFailure(error);
    }
  }

  #takeBatch(): Sent[] {
    const batch: Sent[] = [];
    for (const key of this.#changed) {
      if (batch.length === WINDOWS_PER_STATEMENT) break;
      this.#changed.delete(key);
      const window = this.#find(key);
      if (window) batch.push({ key, window, count: window.pending, endsAt: window.endsAt });
    }
    return batch;
  }

  async #exchangeBatch(batch: readonly Sent[]): Promise<void> {
    try {
      const totals = new Map((await this.store.add(batch)).map((total) => [total.key, total]));
      for (const { key, window, count } of batch) {
        const total = totals.get(key);
        if (!total) throw new Error("The store returned no total for a window.");
        // A store that lost its rows in a crash restarts at zero, but this process keeps its counts.
        window.stored = Math.max(window.stored + count, total.count);
        window.pending -= count;
        window.endsAt = total.endsAt;
      }
    } finally {
      for (const { key } of batch) if (this.#find(key)?.pending) this.#changed.add(key);
    }
  }

  async #cleanUp(): Promise<void> {
    if (performance.now() < this.#cleanUpAt) return;
    this.#cleanUpAt = performance.now() + CLEAN_UP_MS;
    const now = Date.now();
    for (const [key, { endsAt }] of this.#windows) if (endsAt <= now) this.#windows.delete(key);
    await this.store.prune();
  }

  #onFailure(error: unknown): void {
    this.#retryAt = performance.now() + RETRY_MS;
    if (this.#isAway) return;
    this.#isAway = true;
    this.log.warn(
      { cause: describe(error) },
      "rate limit store unavailable, counting requests in this process only",
    );
  }

  #onAnswer(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#retryAt = 0;
    this.log.info("rate limit store available again");
  }
}
