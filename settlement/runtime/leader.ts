// Elects the replica that runs the periodic scans and schedules: the one that holds the lease. The lease is a row, not
// a session lock, so it works through a connection pooler, and it expires by the database's clock no matter how its
// holder ended.
import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { leaderLease } from "#core/db/schema/work.ts";
import type { Problems } from "./problems.ts";

const RENEW_MS = 2_000;
/** Short enough that a new leader takes over less than ten seconds after the leader was killed. */
const LEASE_MS = 6_000;

export class Leader {
  readonly #holder = randomUUID();
  #until = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #asking: Promise<void> | undefined;

  /** @param onGained called when this process becomes the leader */
  constructor(
    private readonly database: Pick<Database, "insert" | "delete">,
    private readonly problems: Problems,
    private readonly onGained: () => void = () => undefined,
    private readonly name = "settlement",
  ) {}

  /** Whether this process leads now, measured by its own clock since its last request. */
  get leads(): boolean {
    return performance.now() < this.#until;
  }

  /** Resolves once the lease was requested for the first time. */
  async start(): Promise<void> {
    await this.#ask();
    this.#timer = setInterval(() => void this.#ask(), RENEW_MS);
  }

  /** Releases the lease, so that another replica does not have to wait for it to expire. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    if (!this.leads) return;
    this.#until = 0;
    await this.database
      .delete(leaderLease)
      .where(and(eq(leaderLease.name, this.name), eq(leaderLease.holder, this.#holder)))
      .catch((error: unknown) => this.problems.report("leader", error));
  }

  #ask(): Promise<void> {
    this.#asking ??= this.#renew().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #renew(): Promise<void> {
    const askedAt = performance.now();
    try {
      const expiresAt = sql`clock_timestamp() + ${LEASE_MS} * interval '1 ms'`;
      const { rowCount } = await this.database
        .insert(leaderLease)
        .values({ name: this.name, holder: this.#holder, expiresAt })
        .onConflictDoUpdate({
          target: leaderLease.name,
          set: { holder: sql`excluded.holder`, expiresAt: sql`excluded.expires_at` },
          setWhere: sql`${leaderLease.holder} = excluded.holder or ${leaderLease.expiresAt} < clock_timestamp()`,
        });
      const led = this.leads;
      this.#until = rowCount === 1 ? askedAt + LEASE_MS : 0;
      if (!led && this.leads) this.onGained();
      this.problems.resolve("leader");
    } catch (error) {
      this.problems.report("leader", error);
    }
  }
}
