// A worker compares the current state with the intended state and acts on the difference. It is level-triggered: waking
// it once or ten times has the same effect, and a failed run is repeated.
import { backoffMs } from "#core/backoff.ts";
import { pauseFor } from "./pace.ts";
import type { Problems } from "./problems.ts";

const FIRST_RETRY_MS = 100;
/**
 * Short enough that a worker recovers from an unavailable dependency between the two comparisons of `reconcile`
 * (reconciliation/reconcile.ts).
 */
const LAST_RETRY_MS = 1_000;

export class Worker {
  #running: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  #failures = 0;
  /** The earliest time of the next run. */
  #notBefore = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #stopping = new AbortController();

  /**
   * @param run does the work; it never runs twice at a time in this process. A long run must end when the signal is
   *   aborted, because a shutdown waits for it
   * @param everyMs the minimum interval between the beginnings of two runs
   */
  constructor(
    readonly name: string,
    private readonly run: (stopping: AbortSignal) => Promise<void>,
    private readonly problems: Problems,
    private readonly everyMs = 0,
  ) {}

  /**
   * Runs the worker soon. If it is running already, it runs once more afterwards, because the facts it has read may be
   * outdated.
   */
  wake(): void {
    if (this.#stopped || this.#retry) return;
    this.#wanted = true;
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined;
      // The worker may have been woken after the loop's last check.
      if (this.#wanted) this.wake();
    });
  }

  /** Waits for a run in progress, and starts no further run. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    clearTimeout(this.#retry);
    await this.#running;
  }

  async #loop(): Promise<void> {
    while (this.#wanted && !this.#stopped) {
      const waitMs = this.#notBefore - performance.now();
      if (waitMs > 0) await pauseFor(waitMs, this.#stopping.signal);
      if (this.#stopped) return;
      this.#notBefore = performance.now() + this.everyMs;
      this.#wanted = false;
      try {
        await this.run(this.#stopping.signal);
        this.#failures = 0;
        this.problems.resolve(this.name);
      } catch (error) {
        if (this.#stopped) return;
        this.problems.report(this.name, error);
        this.#retryLater();
        return;
      }
    }
  }

  /** Blocks may arrive every few milliseconds; an unavailable dependency must not be queried that often. */
  #retryLater(): void {
    const delay = backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, this.#failures++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.wake();
    }, delay);
  }
}
