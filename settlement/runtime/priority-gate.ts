// Postpones low-priority work until no high-priority work runs, up to a maximum delay.

/**
 * Idle time after which low-priority work starts. The pause between two consecutive high-priority batches is shorter.
 */
const IDLE_AFTER_MS = 25;

/** Low-priority work. Waking it repeatedly does no harm. */
type Waiting = { wake(): void };

export class PriorityGate {
  readonly #waiting = new Set<Waiting>();
  #busy = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #latest: ReturnType<typeof setTimeout> | undefined;

  /** @param longestMs the maximum time that low-priority work waits */
  constructor(private readonly longestMs: number) {}

  /** Runs high-priority work. */
  async runFirst<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    clearTimeout(this.#idle);
    this.#idle = undefined;
    try {
      return await work();
    } finally {
      this.#busy--;
      if (this.#busy === 0) this.#idle = setTimeout(() => this.#end(), IDLE_AFTER_MS);
    }
  }

  /** Wakes low-priority work: now, or when the gate is idle. */
  wake(waiting: Waiting): void {
    this.#waiting.add(waiting);
    if (this.#busy === 0 && this.#idle === undefined) this.#wakeAll();
    else this.#latest ??= setTimeout(() => this.#wakeAll(), this.longestMs);
  }

  /** Pauses long low-priority work between its parts. Resolves now, or when the gate is idle. */
  pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake({ wake: resolve });
    return promise;
  }

  /** Clears the timers, so that they do not wake waiting work any more. */
  stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#latest);
  }

  #end(): void {
    this.#idle = undefined;
    this.#wakeAll();
  }

  #wakeAll(): void {
    clearTimeout(this.#latest);
    this.#latest = undefined;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const waiting of woken) waiting.wake();
  }
}
