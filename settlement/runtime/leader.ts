// One replica among many runs the periodic scans and schedules: the one that holds the lease. A row, not a session's
// lock: it works through a connection pooler, and ends by the database's clock however its holder ended.
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import type { Problems } from "./problems.ts";

const RENEW_MS = 2_000;
/** Less than ten seconds after a leader was killed there is another. */
const LEASE_MS = 6_000;

export class Leader {
  readonly #holder = randomUUID();
  #until = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #asking: Promise<void> | undefined;

  constructor(
    private readonly database: Pick<Database, "execute">,
    private readonly problems: Problems,
    private readonly name = "settlement",
  ) {}

  /** Whether this process leads now, by its own clock since its last request. */
  get leads(): boolean {
    return performance.now() < this.#until;
  }

  /** @returns as soon as the lease was requested once */
  async start(): Promise<void> {
    await this.#ask();
    this.#timer = setInterval(() => void this.#ask(), RENEW_MS);
  }

  /** Gives the lease back, so that another replica need not wait for its end. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    if (!this.leads) return;
    this.#until = 0;
    await this.database
      .execute(sql`delete from gateway.leader_lease where name = ${this.name} and holder = ${this.#holder}`)
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
      const { rowCount } = await this.database.execute(sql`
        insert into gateway.leader_lease as l (name, holder, expires_at)
        values (${this.name}, ${this.#holder}, clock_timestamp() + ${LEASE_MS} * interval '1 ms')
        on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
        where l.holder = excluded.holder or l.expires_at < clock_timestamp()`);
      this.#until = rowCount === 1 ? askedAt + LEASE_MS : 0;
      this.problems.resolve("leader");
    } catch (error) {
      this.problems.report("leader", error);
    }
  }
}
