// The lanes of one purpose: the calls of its handler that are in progress, and whether its problem is resolved.
import type { Problems } from "./problems.ts";
import type { WorkItem } from "./work-items.ts";

type Call = { items: readonly WorkItem[]; failed: boolean; done?: Promise<void> };

export class Lanes {
  readonly #calls = new Set<Call>();
  /** Number of failures so far. */
  #failures = 0;
  /** Whether a call that began after the last failure has succeeded. */
  #hasSucceeded = false;

  /** @param subject the name of the problem that failures are logged as */
  constructor(
    private readonly subject: string,
    private readonly problems: Problems,
  ) {}

  /** The number of calls in progress. */
  get size(): number {
    return this.#calls.size;
  }

  /** The items in progress. */
  get items(): WorkItem[] {
    return [...this.#calls].flatMap(({ items }) => items);
  }

  /**
   * Starts a call. The problem is resolved once a call has succeeded and none in progress has failed.
   * @param work never rejects; it reports its errors
   */
  start(
    items: readonly WorkItem[],
    work: (onError: (error: unknown) => void) => Promise<void>,
    onEnd: () => void,
  ): void {
    const call: Call = { items, failed: false };
    const failuresBefore = this.#failures;
    const onError = (error: unknown) => {
      call.failed = true;
      this.#failures++;
      this.#hasSucceeded = false;
      this.problems.report(this.subject, error);
    };
    this.#calls.add(call);
    call.done = work(onError).finally(() => {
      this.#calls.delete(call);
      if (this.#failures === failuresBefore) this.#hasSucceeded = true;
      const isFailing = [...this.#calls].some(({ failed }) => failed);
      if (this.#hasSucceeded && !isFailing) this.problems.resolve(this.subject);
      onEnd();
    });
  }

  /** Waits until the calls in progress have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#calls].map(({ done }) => done));
  }
}
