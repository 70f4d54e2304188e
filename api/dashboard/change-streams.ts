// Streams of server-sent events to dashboards. Each event contains the names of the resources that changed,
// which the page then refetches. All streams together cost one statement per interval. A stream ends with the
// session that opened it.
import { and, gt, inArray, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { dashboardSession } from "#core/db/schema/users.ts";
import type { Mode } from "#core/model/mode.ts";
import type { ChangeStreams as Streams, Watcher } from "../services.ts";
import { type EventStream, EventStreams, type StreamClient } from "../streams/event-streams.ts";
import { type Change, readChanges } from "./read-changes.ts";

/** Maximum number of open streams per user. Each page opens one stream while it is visible. */
const MOST_OF_USER = 20;
const INTERVAL_MS = 500;
const SESSION_CHECK_MS = 30_000;

/** `reported` contains the keys of the recent rows that were already sent to the stream. */
type Subject = Watcher & { reported: ReadonlySet<string> };
type Stream = EventStream<Subject>;

type Dependencies = {
  database: Database;
  mode: Mode;
  /** The database that stores the sessions. */
  sessions: Database;
  onProblem(error: unknown): void;
};

export class ChangeStreams implements Streams {
  readonly #streams: EventStreams<Subject>;
  #poll: ReturnType<typeof setInterval> | undefined;
  #sessionCheck: ReturnType<typeof setInterval> | undefined;
  #reading = false;

  constructor(private readonly dependencies: Dependencies) {
    this.#streams = new EventStreams<Subject>({
      mostOfOwner: MOST_OF_USER,
      onOpen: () => this.#resume(),
      onIdle: () => this.#pause(),
    });
  }

  open(watcher: Watcher, client: StreamClient): ReadableStream<Uint8Array> | undefined {
    return this.#streams.open({ ...watcher, reported: new Set() }, client);
  }

  stop(): void {
    this.#streams.stop();
  }

  #resume(): void {
    this.#poll ??= setInterval(() => void this.#read(), INTERVAL_MS);
    this.#sessionCheck ??= setInterval(() => void this.#endSignedOut(), SESSION_CHECK_MS);
  }

  /** Nothing is read while there are no streams. */
  #pause(): void {
    clearInterval(this.#poll);
    clearInterval(this.#sessionCheck);
    this.#poll = undefined;
    this.#sessionCheck = undefined;
  }

  async #read(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const byMerchant = Map.groupBy(this.#streams, ({ subject }) => subject.merchantId);
      const changes = await readChanges(this.dependencies.database, this.dependencies.mode, [
        ...byMerchant.keys(),
      ]);
      const changesOf = Map.groupBy(changes, ({ merchantId }) => merchantId);
      for (const [merchantId, streams] of byMerchant) {
        for (const stream of streams) this.#report(stream, changesOf.get(merchantId) ?? []);
      }
    } catch (error) {
      // The next poll reads the changes that this one missed.
      this.dependencies.onProblem(error);
    } finally {
      this.#reading = false;
    }
  }

  #report(stream: Stream, changes: readonly Change[]): void {
    const { subject } = stream;
    const names = changes.filter(({ key }) => !subject.reported.has(key)).flatMap(({ names }) => names);
    // Rows that are no longer recent do not reappear, so their keys are dropped.
    subject.reported = new Set(changes.map(({ key }) => key));
    const distinct = [...new Set(names)].filter((name) => name !== null);
    if (distinct.length > 0) this.#streams.send([stream], JSON.stringify(distinct));
  }

  async #endSignedOut(): Promise<void> {
    const ids = [...new Set([...this.#streams].map(({ subject }) => subject.sessionId))];
    if (ids.length === 0) return;
    try {
      const valid = await this.dependencies.sessions
        .select({ id: dashboardSession.id })
        .from(dashboardSession)
        .where(and(inArray(dashboardSession.id, ids), gt(dashboardSession.expiresAt, sql`now()`)));
      const validIds = new Set(valid.map(({ id }) => id));
      for (const stream of this.#streams) {
        if (!validIds.has(stream.subject.sessionId)) this.#streams.end(stream);
      }
    } catch (error) {
      this.dependencies.onProblem(error);
    }
  }
}
