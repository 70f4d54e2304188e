// Records when each key was last used, asynchronously and at most once a minute per key.
import { and, inArray, isNull, lt, or, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { apiKey } from "#core/db/schema/merchants.ts";

const AT_MOST_EVERY_MS = 60_000;
const COLLECT_MS = 1_000;

export class KeyUse {
  readonly #recorded = new Map<string, number>();
  #pending = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly database: Database,
    private readonly onProblem: (error: unknown) => void = () => undefined,
  ) {}

  /** Records that the key was used. Usually costs only one map look-up. */
  readonly note = (keyId: string): void => {
    const now = Date.now();
    if (now - (this.#recorded.get(keyId) ?? 0) < AT_MOST_EVERY_MS) return;
    this.#recorded.set(keyId, now);
    this.#pending.add(keyId);
    this.#timer ??= setTimeout(() => void this.#write(), COLLECT_MS);
  };

  async stop(): Promise<void> {
    await this.#write();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#pending];
    this.#pending = new Set();
    if (ids.length === 0) return;
    try {
      // Other processes may have recorded the same keys.
      const due = or(
        isNull(apiKey.lastUsedAt),
        lt(apiKey.lastUsedAt, sql`now() - ${`${AT_MOST_EVERY_MS} ms`}::interval`),
      );
      await this.database
        .update(apiKey)
        .set({ lastUsedAt: sql`now()` })
        .where(and(inArray(apiKey.id, ids), due));
    } catch (error) {
      for (const id of ids) this.#recorded.delete(id);
      this.onProblem(error);
    }
  }
}
