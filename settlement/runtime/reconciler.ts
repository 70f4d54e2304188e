// A reconciler compares what is with what should be and acts on the difference. It is level-triggered: being woken
// once or ten times is the same, and a run that failed is simply made again.
import { backoffMs } from "#core/backoff.ts";
import type { Problems } from "./problems.ts";

const FIRST_RETRY_MS = 100;
/** What was away is back at work in the time in which `reconcile` looks twice (reconcile/reconcile.ts). */
const LAST_RETRY_MS = 1_000;

export class Reconciler {
  #running: Promise<void> | undefined;
  #wanted = false;
  #stopped = false;
  #failures = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  readonly #stopping = new AbortController();

  /**
   * @param run does what there is to do; it never runs twice at a time in this process. What takes long ends when the
   *   signal is aborted: somebody waits for it
   */
  constructor(
    readonly name: string,
    private readonly run: (stopping: AbortSignal) => Promise<void>,
    private readonly problems: Problems,
  ) {}

  /** Runs soon; if it runs now, once more afterwards, because what it has read may be old. */
  wake(): void {
    if (this.#stopped || this.#retry) return;
    this.#wanted = true;
    this.#running ??= this.#loop().finally(() => {
      this.#running = undefined;
    });
  }

  /** Lets a run that is under way finish, and starts no other. */
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
        this.problems.over(this.name);
      } catch (error) {
        if (this.#stopped) return;
        this.problems.met(this.name, error);
        this.#retryLater();
        return;
      }
    }
  }

  /** Blocks may come every few milliseconds: what is away is not asked at that pace. */
  #retryLater(): void {
    const delay = backoffMs(FIRST_RETRY_MS, LAST_RETRY_MS, this.#failures++);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.wake();
    }, delay);
  }
}
