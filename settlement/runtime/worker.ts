// A worker compares the present state with the intended one and acts on the difference. It is level-triggered: being
// woken once or ten times is the same, and a failed run is repeated.
import { backoffMs } from "#core/backoff.ts";
import type { Problems } from "./problems.ts";

const FIRST_RETRY_MS = 100;
/**
 * A dependency that was unavailable recovers within the time between the two comparisons of `reconcile`
 * (reconciliation/reconcile.ts).
 */
const LAST_RETRY_MS = 1_000;

export class Worker {
  #running: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #stopping = new AbortController();

  /**
   * @param run does the work; it never runs twice at a time in this process. A long run ends when the
   *   signal is aborted: a shutdown waits for it
   */
  constructor(
    readonly name: string,
    private readonly run: (stopping: AbortSignal) => Promise<void>,
    private readonly problems: Problems,
  ) {}

  /** Runs soon; if it runs now, once more afterwards, because its facts may be old. */
  wake(): void {
    if (this.#stopped || this.#retry) return;
    this.#wanted = true;
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined;
      // It may have been woken after the loop's last check.
      if (this.#wanted) this.wake();
    });
  }

  /** Lets a run in progress finish, and starts no other. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    clearTimeout(this.#retry);
    await this.#running;
  }

  async #loop(): Promise<void> {
    while (this.#wanted && !this.#stopped) {
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

  /** Blocks may come every few milliseconds: an unavailable part is not queried at that pace. */
  #retryLater(): void {
    const delay = backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, this.#failures++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.wake();
    }, delay);
  }
}
