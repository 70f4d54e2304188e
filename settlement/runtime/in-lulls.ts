// Puts off what can wait until there is a lull in what cannot, but not for ever.

/** Between two batches of the same rush there is less. */
const LULL_MS = 25;

/** What can wait. It does not matter how often it is woken. */
type Patient = { wake(): void };

export class InLulls {
  readonly #waiting = new Set<Patient>();
  #busy = 0;
  #lull: ReturnType<typeof setTimeout> | undefined;
  #latest: ReturnType<typeof setTimeout> | undefined;

  /** @param longestMs how long anything waits at most */
  constructor(private readonly longestMs: number) {}

  /** Does what cannot wait. */
  async rush<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    clearTimeout(this.#lull);
    this.#lull = undefined;
    try {
      return await work();
    } finally {
      this.#busy--;
      if (this.#busy === 0) this.#lull = setTimeout(() => this.#end(), LULL_MS);
    }
  }

  /** Wakes it: now, or in the next lull. */
  wake(patient: Patient): void {
    this.#waiting.add(patient);
    if (this.#busy === 0 && this.#lull === undefined) this.#wakeAll();
    else this.#latest ??= setTimeout(() => this.#wakeAll(), this.longestMs);
  }

  /** For who does much that can wait, between its parts. Returns now, or in the next lull. */
  pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake({ wake: resolve });
    return promise;
  }

  /** Whoever waits is not woken any more. */
  stop(): void {
    clearTimeout(this.#lull);
    clearTimeout(this.#latest);
  }

  #end(): void {
    this.#lull = undefined;
    this.#wakeAll();
  }

  #wakeAll(): void {
    clearTimeout(this.#latest);
    this.#latest = undefined;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const patient of woken) patient.wake();
  }
}
