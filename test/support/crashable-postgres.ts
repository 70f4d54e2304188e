// A gateway's database on a separate PostgreSQL server, which a test can query directly and crash.
import { Client } from "pg";
import { until } from "#scripts/shared/wait.ts";

const TIMEOUT_MS = 40_000;

export class CrashablePostgres {
  private constructor(private readonly url: string) {}

  static async at(url: string): Promise<CrashablePostgres> {
    const postgres = new CrashablePostgres(url);
    // The tests' PostgreSQL server commits asynchronously. A database that must survive a crash needs synchronous
    // commits.
    const name = new URL(url).pathname.slice(1);
    await postgres.query(`alter database "${name}" set synchronous_commit = on`);
    return postgres;
  }

  /** Queries on a separate connection. */
  async query<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
    const client = new Client({ connectionString: this.url });
    // A crash closes the connection. The caller receives the error from the query.
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** @returns false if the process had already exited before it was killed */
  private async killOne(application: string | undefined): Promise<boolean> {
    const [victim] = await this.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and application_name = coalesce($1, application_name) limit 1`,
      [application ?? null],
    );
    if (!victim) throw new Error(`Nobody is connected${application ? ` as ${application}` : ""}.`);
    try {
      return process.kill(victim.pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
      throw error;
    }
  }

  /**
   * Kills one of PostgreSQL's processes, so that the server terminates all others and recovers from its write-ahead
   * log. Resolves when the server responds.
   * @param application whose process to kill; any process by default
   */
  async crash(application?: string): Promise<void> {
    while (!(await this.killOne(application)));
    const answers = () =>
      this.query("select 1").then(
        () => true,
        () => false,
      );
    await until(answers, { what: "Postgres", timeoutMs: TIMEOUT_MS });
  }
}
