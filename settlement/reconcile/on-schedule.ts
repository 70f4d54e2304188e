// Reconciles now and then, one replica for all, and keeps what it found for the metrics. Most times it looks at what is not
// over for long; once a day, and then until nothing is found, at everything.
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { reconciliation } from "#core/db/ledger-schema.ts";
import { payout } from "#core/db/payout-schema.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { Context } from "../context.ts";
import { Problems } from "../problems.ts";
import { type Discrepancy, partition } from "./discrepancy.ts";
import { reconcile } from "./reconcile.ts";

const DAY_MS = 86_400_000;
/** What is over for longer has been compared often enough. */
const RECENT_MS = 7 * DAY_MS;
/** So long a bank may give money back. */
const WHOLE_MS = 60 * DAY_MS;
/** After a failure, so that what is away is not asked at the pace of blocks. */
const RETRY_MS = 30_000;
/** Whoever has begun may have died: after so long somebody else begins. */
const GIVEN_UP_MS = 600_000;

type Claim = { id: number; whole: boolean };

function countsOf(found: Discrepancy[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of found) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const ms = (count: number) => sql`${count} * interval '1 millisecond'`;

/**
 * Makes the run: it does nothing until a reconciliation is due.
 * @param secondLookMs see reconcile
 */
export function createScheduledReconciler(
  context: Context,
  secondLookMs?: number,
  retryMs = RETRY_MS,
): (stopping?: AbortSignal) => Promise<void> {
  const { database, log, config, guardian } = context;
  const problems = new Problems(log);
  const intervalMs = config.reconcileInterval * 1_000;
  const givenUpMs = Math.min(GIVEN_UP_MS, intervalMs);
  let lookAt = 0;
  let failure: { error: unknown } | undefined;

  /** Whoever writes the row does the work. */
  const claim = (): Promise<Claim | undefined> =>
    database.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.reconcile', 0))`);
      const { rows } = await tx.execute<{ id: string; whole: boolean }>(sql`
        insert into ${reconciliation} (whole) select not exists (
          select from ${reconciliation} where whole and differences = '{}' and created_at > statement_timestamp() - ${ms(DAY_MS)})
        where not exists (select from ${reconciliation} where created_at > statement_timestamp()
          - case when differences is null then ${ms(givenUpMs)} else ${ms(intervalMs)} end)
        returning id, whole`);
      return rows[0] && { id: Number(rows[0].id), whole: rows[0].whole };
    });

  /** A bank gave money back although the return window was over: nobody would ask after these payouts any more. */
  async function lookAgain(found: Discrepancy[]): Promise<void> {
    const ids = found.filter(({ kind }) => kind === "different_transfer").map(({ about }) => about);
    if (ids.length === 0) return;
    await database
      .update(payout)
      .set(dueNow)
      .where(and(inArray(payout.id, ids), eq(payout.state, "completed"), isNull(payout.nextLookAt)));
  }

  /** New orders would pay the earlier ones. The next reconciliation tries again what fails here. */
  async function delist({ token, says }: Discrepancy): Promise<void> {
    if (!token) return;
    const subject = `de-list ${token}`;
    try {
      await guardian?.delist(token, says);
      problems.over(subject);
    } catch (error) {
      problems.met(subject, error);
    }
  }

  async function run({ id, whole }: Claim, stopping: AbortSignal | undefined): Promise<void> {
    const since = new Date(Date.now() - (whole ? WHOLE_MS : RECENT_MS));
    const parts = stopping ? { ...context, signal: stopping } : context;
    const found = await reconcile(parts, { since, recent: !whole }, secondLookMs);
    const { differences, notes } = partition(found);
    for (const { kind, about, says } of differences) log.error({ kind, about }, says);
    for (const { kind, about, says } of notes) log.info({ kind, about }, says);
    await database
      .update(reconciliation)
      .set({ differences: countsOf(differences) })
      .where(eq(reconciliation.id, id));
    for (const difference of differences) await delist(difference);
    await lookAgain(differences);
  }

  return async (stopping) => {
    if (Date.now() < lookAt) {
      if (failure) throw failure.error;
      return;
    }
    const claimed = await claim();
    if (claimed) {
      try {
        await run(claimed, stopping);
      } catch (error) {
        // It says nothing: whoever comes next begins anew.
        await database.delete(reconciliation).where(eq(reconciliation.id, claimed.id));
        failure = { error };
        lookAt = Date.now() + retryMs;
        throw error;
      }
    }
    failure = undefined;
    lookAt = Date.now() + intervalMs / 4;
  };
}
