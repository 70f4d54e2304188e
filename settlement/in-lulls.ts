// Puts off what can wait until there is a lull in what cannot, but not for ever.

/** Between two batches of the same rush there is less. */
const LULL_MS = 25;

export class InLulls {
  #busy = 0;
  #lull: ReturnType<typeof setTimeout> | undefined;
  #latest: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param task what can wait
   * @param longestMs how long it waits at most
   */
  constructor(
    private readonly task: () => void,
    private readonly longestMs: number,
  ) {}

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

  /** Has the task run: at once, or in the next lull. */
  ask(): void {
    if (this.#busy === 0 && this.#lull === undefined) this.task();
    else this.#latest ??= setTimeout(() => this.#run(), this.longestMs);
  }

  /** Whatever waits is not run any more. */
  stop(): void {
    clearTimeout(this.#lull);
    clearTimeout(this.#latest);
  }

  #end(): void {
    this.#lull = undefined;
    if (this.#latest !== undefined) this.#run();
  }

  #run(): void {
    clearTimeout(this.#latest);
    this.#latest = undefined;
    this.task();
  }
}
