// Implements the Idempotency-Key header. A retry within 24 hours receives the response to the first request and
// has no effect. The response is stored in the same transaction as the changes and fenced by the key's owner, so
// a crash cannot lose only one of them, and a request that lost its lease cannot commit (spec, "Limits";
// docs/decisions/0003-reading-and-writing.md).
import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "#core/db/client.ts";
import { idempotencyKey as table } from "#core/db/schema/requests.ts";
import { invalidRequest, type ServiceError, serviceUnavailable } from "#core/errors.ts";
import { IDEMPOTENCY_KEPT_MS } from "#core/idempotency.ts";
import { canonicalJson } from "./canonical-json.ts";

/** A request's claim on its key. */
export type Claim = {
  /** Stores the response in the transaction that makes the changes. */
  store(tx: Transaction, body: string): Promise<void>;
  /** Stores the response of a request without a transaction. */
  keep(body: string): Promise<void>;
  /**
   * Releases the key. Only responses of requests that had an effect are stored, so a rejected request can be
   * corrected and sent again.
   * @returns the error to respond with
   */
  release(error: ServiceError): Promise<ServiceError>;
};

/** How long a request may hold a key before another request may claim the key. Must be longer than any statement. */
const LEASE_MS = 45_000;
const WAIT_MS = 30_000;
const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 250;

/** Equivalent bodies have the same digest. */
const computeDigest = (body: object): Buffer => createHash("sha256").update(canonicalJson(body)).digest();

const inProgress = () =>
  serviceUnavailable("Another request with this Idempotency-Key is still in progress.");

type Attempt = { kind: "mine"; owner: string } | { kind: "answered"; body: string } | { kind: "busy" };

export class Idempotency {
  /** Requests of this process that wait for the same key share one poll. */
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(private readonly database: Database) {}

  /**
   * Claims the key, so that the request is executed at most once.
   * @returns the claim, or the stored response of the executed request
   * @throws ServiceError 400 for a different body under the same key, 503 if the first request does not finish
   */
  async claim({ scope, key, body }: { scope: string; key: string; body: object }): Promise<Claim | string> {
    const digest = computeDigest(body);
    const giveUpAt = Date.now() + WAIT_MS;
    while (Date.now() < giveUpAt) {
      const attempt = await this.#attempt(scope, key, digest);
      if (attempt.kind === "answered") return attempt.body;
      if (attempt.kind === "mine") return this.#buildClaim(scope, key, attempt.owner);
      await this.#listen(scope, key, giveUpAt);
    }
    throw inProgress();
  }

  async #attempt(scope: string, key: string, digest: Buffer): Promise<Attempt> {
    const owner = randomUUID();
    const fresh = { owner, digest, leaseUntil: new Date(Date.now() + LEASE_MS), createdAt: new Date() };
    const [mine] = await this.database
      .insert(table)
      .values({ scope, key, ...fresh })
      .onConflictDoUpdate({
        target: [table.scope, table.key],
        set: { ...fresh, status: null, body: null },
        // Claims a key whose retention has ended, or whose lease has expired if the request has the same body.
        setWhere: sql`${table.createdAt} < ${new Date(Date.now() - IDEMPOTENCY_KEPT_MS)}
          or (${table.status} is null and ${table.leaseUntil} < now() and ${table.digest} = ${digest})`,
      })
      .returning({ owner: table.owner });
    if (mine) return { kind: "mine", owner };
    const [row] = await this.database
      .select()
      .from(table)
      .where(and(eq(table.scope, scope), eq(table.key, key)));
    if (!row) return { kind: "busy" };
    if (!row.digest.equals(digest)) {
      throw invalidRequest("This Idempotency-Key was used with a different request body.", "Idempotency-Key");
    }
    if (row.status === null || row.body === null) return { kind: "busy" };
    return { kind: "answered", body: row.body };
  }

  #buildClaim(scope: string, key: string, owner: string): Claim {
    const { database } = this;
    const mine = and(
      eq(table.scope, scope),
      eq(table.key, key),
      eq(table.owner, owner),
      isNull(table.status),
    );
    let isStored = false;
    const store = async (tx: Transaction | Database, body: string): Promise<void> => {
      const rows = await tx
        .update(table)
        .set({ status: 200, body })
        .where(mine)
        .returning({ key: table.key });
      if (rows.length === 0) throw inProgress();
      isStored = true;
    };
    return {
      store,
      async keep(body) {
        if (!isStored) await store(database, body);
      },
      async release(error) {
        // Deletes the key unless the transaction has committed and thus stored a response. If the database is
        // unavailable, the key becomes available when its lease expires.
        const freed = await database
          .delete(table)
          .where(mine)
          .returning({ key: table.key })
          .catch(() => undefined);
        // If this request lost its lease, its rejection may be caused by the effect of the request that claimed
        // the key next. The caller is asked to retry instead, and then receives the response to that request.
        return error.status < 500 && !isStored && freed?.length === 0 ? inProgress() : error;
      },
    };
  }

  /**
   * Waits until the key has a response or is available, without holding a connection. All requests of this
   * process that wait for the same key share one poll.
   */
  async #listen(scope: string, key: string, giveUpAt: number): Promise<void> {
    const name = `${scope} ${key}`;
    const shared = this.#waiting.get(name) ?? this.#poll(scope, key, giveUpAt);
    this.#waiting.set(name, shared);
    await shared.finally(() => this.#waiting.delete(name));
  }

  async #poll(scope: string, key: string, giveUpAt: number): Promise<void> {
    for (let pause = FIRST_POLL_MS; Date.now() < giveUpAt; pause = Math.min(pause * 2, LONGEST_POLL_MS)) {
      await delay(pause);
      const [row] = await this.database
        .select({ status: table.status, leaseUntil: table.leaseUntil })
        .from(table)
        .where(and(eq(table.scope, scope), eq(table.key, key)));
      if (!row || row.status !== null || row.leaseUntil.getTime() < Date.now()) return;
    }
  }
}
