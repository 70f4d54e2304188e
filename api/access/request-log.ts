// The log of the requests made with a merchant's API keys. Requests are buffered for a second and then written
// asynchronously with one statement.
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { Database } from "#core/db/client.ts";
import { requestLog } from "#core/db/schema/requests.ts";
import { newId } from "#core/ids.ts";

const COLLECT_MS = 1_000;
/**
 * Maximum number of requests that a process logs per second, per merchant and in total. Further requests are not
 * logged.
 */
const MOST_OF_MERCHANT = 100;
const MOST = 2_000;

type Row = typeof requestLog.$inferInsert;
export type LoggedRequest = Pick<Row, "method" | "path" | "status" | "durationMs" | "requestId">;

export class RequestLog {
  #pending: Row[] = [];
  #counts = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<unknown> | undefined;

  constructor(
    private readonly database: Database,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  note({ merchantId, mode, keyId }: Caller, request: LoggedRequest): void {
    const count = this.#counts.get(merchantId) ?? 0;
    if (count >= MOST_OF_MERCHANT || this.#pending.length >= MOST) return;
    this.#counts.set(merchantId, count + 1);
    this.#pending.push({ id: newId("request"), merchantId, mode, keyId, ...request, createdAt: new Date() });
    this.#timer ??= setTimeout(() => void this.#write(), COLLECT_MS);
  }

  /** Writes the pending requests after the current write has finished. */
  async stop(): Promise<void> {
    await this.#writing;
    await this.#write();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = this.#pending;
    this.#pending = [];
    this.#counts.clear();
    if (rows.length === 0) return;
    // Best effort: a request must not wait for its log entry, or fail because of it.
    const written = this.database.insert(requestLog).values(rows).catch(this.onProblem);
    this.#writing = Promise.all([this.#writing, written]);
    await this.#writing;
  }
}
