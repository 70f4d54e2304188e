// Remembers, in this process, which orders a simulation refused, so that they are tried more and more rarely.
import type { OrderId } from "#core/ids.ts";

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 3_600_000;
/** An order that was refused once and is settled otherwise would stay for ever. */
const MOST = 10_000;

export class Refusals {
  readonly #known = new Map<OrderId, { count: number; until: number }>();

  constructor(private readonly now: () => number = Date.now) {}

  add(id: OrderId): void {
    const count = (this.#known.get(id)?.count ?? 0) + 1;
    const delay = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LAST_RETRY_MS);
    if (this.#known.size >= MOST) this.#known.clear();
    this.#known.set(id, { count, until: this.now() + delay });
  }

  has(id: OrderId): boolean {
    const refusal = this.#known.get(id);
    return refusal !== undefined && this.now() < refusal.until;
  }

  forget(id: OrderId): void {
    this.#known.delete(id);
  }
}
