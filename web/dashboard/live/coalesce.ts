// Reports the names of changes immediately, but at most once a second, and less often while changes keep coming. A page
// must not refetch a list every second because the merchant receives a payment every second.

const SPACING_MS = 1_000;
/** Token bucket: allows this many reports in a burst, then one report per refill interval. */
const IN_A_ROW = 10;
const FREE_AGAIN_MS = 6_000;

export class Coalesced {
  readonly #names = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #handedAt = Number.NEGATIVE_INFINITY;
  #left = IN_A_ROW;

  constructor(private readonly hand: (names: ReadonlySet<string>) => void) {}

  add(names: readonly string[]): void {
    for (const name of names) this.#names.add(name);
    this.#timer ??= setTimeout(() => this.#flush(), this.#waitMs());
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#names.clear();
  }

  #waitMs(): number {
    const passed = Date.now() - this.#handedAt;
    this.#left = Math.min(IN_A_ROW, this.#left + passed / FREE_AGAIN_MS);
    const spacing = this.#left >= 1 ? SPACING_MS : (1 - this.#left) * FREE_AGAIN_MS + passed;
    return Math.max(0, spacing - passed);
  }

  #flush(): void {
    const names = new Set(this.#names);
    this.#names.clear();
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - 1);
    this.#handedAt = Date.now();
    this.hand(names);
  }
}
