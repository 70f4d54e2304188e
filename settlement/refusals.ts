// Remembers, in this process, which orders a simulation refused, so that they are tried more and more rarely and keep no
// other order waiting.
import type { OrderId } from "#core/ids.ts";

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 3_600_000;
/** An order that was not refused again for so long is not due any more, or is as good as new. */
const FORGET_MS = 2 * LAST_RETRY_MS;
/** Retried in one pass: each costs a simulation, for which the other orders wait. */
const RETRIES = 20;

type Refusal = { count: number; refusedAt: number; retryAt: number };

export class Refusals {
  /** Those that were refused or retried longest ago come first. */
  readonly #known = new Map<OrderId, Refusal>();

  constructor(private readonly now: () => number = Date.now) {}

  add(id: OrderId): void {
    const refusedAt = this.now();
    const count = (this.#known.get(id)?.count ?? 0) + 1;
    const delay = Math.min(FIRST_RETRY_MS * 2 ** (count - 1), LAST_RETRY_MS);
    this.#append(id, { count, refusedAt, retryAt: refusedAt + delay });
  }

  /** Whether it was refused when it was tried last. */
  has(id: OrderId): boolean {
    return this.#known.has(id);
  }

  forget(id: OrderId): void {
    this.#known.delete(id);
  }

  /** @returns the orders that a pass has to leave out: all that were refused, but for a few that it retries */
  excluded(): OrderId[] {
    const now = this.now();
    const excluded: OrderId[] = [];
    const retried: [OrderId, Refusal][] = [];
    for (const [id, refusal] of this.#known) {
      if (now - refusal.refusedAt >= FORGET_MS) this.forget(id);
      else if (retried.length < RETRIES && now >= refusal.retryAt) retried.push([id, refusal]);
      else excluded.push(id);
    }
    // One that is not due any more is not refused again either: the next pass retries others.
    for (const [id, refusal] of retried) this.#append(id, { ...refusal, retryAt: now + FIRST_RETRY_MS });
    return excluded;
  }

  #append(id: OrderId, refusal: Refusal): void {
    this.#known.delete(id);
    this.#known.set(id, refusal);
  }
}
