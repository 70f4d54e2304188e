// Reconciles on schedule, with one replica acting for all, and stores the results for the metrics. Most runs compare
// the changes since the last seal. A run compares everything once a day, and after a difference until nothing is found.
// Interrupted runs are resumed.
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { reconciliation } from "#core/db/schema/reconciliations.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import type { Context } from "../runtime/context.ts";
import { Problems } from "../runtime/problems.ts";
import { type Discrepancy, partition } from "./discrepancy.ts";
import { forgetDifferences, isOpen, keepDifferences } from "./known-differences.ts";
import { carryOut } from "./reconcile.ts";
import type { Scope } from "./scope.ts";
import {
  beginRun,
  endRun,
  nothingSealed,
  OLDEST_TRANSFER_MS,
  readSeal,
  resumeRun,
  type StoredRun,
  sealRun,
} from "./stored-run.ts";

const DAY_MS = 86_400_000;
/** Delay after a failure, so that an unavailable dependency is not queried for every block. */
const RETRY_MS = 30_000;
/** The name of the schedule's stored runs. */
const NAME = "schedule";

function countByKind(found: Discrepancy[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of found) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const ms = (count: number) => sql`${count} * interval '1 millisecond'`;

/**
 * Creates the scheduled reconciliation, which does nothing unless a run is due or was interrupted.
 * @param secondReadMs see reconcile
 */
export function createScheduledReconciler(
  context: Context,
  secondReadMs?: number,
  retryMs = RETRY_MS,
): (stopping?: AbortSignal) => Promise<void> {
  const { database, log, config, guardian } = context;
  const problems = new Problems(log);
  const intervalMs = config.reconcileInterval * 1_000;
  let nextRunAt = 0;
  let failure: { error: unknown } | undefined;

  /** Returns the scope of the next run; undefined if none is due. */
  async function chooseScope(tx: Transaction): Promise<Scope | undefined> {
    const { id } = context.deployment;
    const { differences, full, createdAt } = reconciliation;
    const [row] = await tx
      .select({
        ledgerBlock: deployment.ledgerBlock,
        due: sql<boolean>`not exists (select from ${reconciliation}
          where ${differences} is not null and ${createdAt} > statement_timestamp() - ${ms(intervalMs)})`,
        clean: sql<boolean>`exists (select from ${reconciliation}
          where ${full} and ${differences} = '{}' and ${createdAt} > statement_timestamp() - ${ms(DAY_MS)})`,
      })
      .from(deployment)
      .where(eq(deployment.id, id));
    if (!row?.due) return undefined;
    const sealed = (await readSeal(tx, id)) ?? nothingSealed();
    // If the ledger is behind the seal, an unusually deep reorg went below the seal, so everything is compared.
    if (row.clean && sealed.block <= row.ledgerBlock) {
      return { since: new Date(sealed.transfersSince), sealed };
    }
    return { since: new Date(Date.now() - OLDEST_TRANSFER_MS) };
  }

  /** Claims an interrupted run or stores a new one. The process that stores a run also executes it. */
  const claim = (): Promise<StoredRun | undefined> =>
    database.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.reconcile', 0))`);
      const open = await resumeRun(tx, context, NAME, DAY_MS);
      if (open === "taken") return undefined;
      if (open) return open;
      const scope = await chooseScope(tx);
      return scope && beginRun(tx, context, scope, NAME);
    });

  /** Polls payouts that a bank returned after the return window, when workers no longer poll them. */
  async function pollReturned(found: Discrepancy[]): Promise<void> {
    const ids = found.filter(({ kind }) => kind === "different_transfer").map(({ about }) => about);
    if (ids.length === 0) return;
    await database
      .update(payout)
      .set(dueNow)
      .where(and(inArray(payout.id, ids), eq(payout.state, "completed"), isNull(payout.nextAttemptAt)));
  }

  /**
   * De-lists a token that is not fully covered, because funds of new orders would pay for earlier ones. The next
   * reconciliation retries a failure.
   */
  async function delist({ token, says }: Discrepancy): Promise<void> {
    if (!token) return;
    const subject = `de-list ${token}`;
    try {
      await guardian?.delist(token, says);
      problems.resolve(subject);
    } catch (error) {
      problems.report(subject, error);
    }
  }

  /**
   * Stores the differences, the new seal, and the end of the run in one transaction.
   * @returns the unacknowledged differences
   */
  const store = (run: StoredRun, differences: Discrepancy[]): Promise<Discrepancy[]> =>
    database.transaction(async (tx) => {
      const full = run.sealed === null;
      const open = (await keepDifferences(tx, differences)).filter(isOpen);
      if (full) await forgetDifferences(tx, run.createdAt);
      await tx
        .insert(reconciliation)
        .values({ full, differences: countByKind(open), createdAt: run.createdAt });
      if (open.length === 0) await sealRun(tx, run);
      await endRun(tx, run);
      return open;
    });

  async function carryOutClaimed(run: StoredRun, stopping: AbortSignal | undefined): Promise<void> {
    const parts = stopping ? { ...context, signal: stopping } : context;
    let differences: Discrepancy[] = [];
    const end = async (found: Discrepancy[]) => {
      differences = await store(run, partition(found).differences);
    };
    const { notes } = partition(await carryOut(parts, run, end, secondReadMs));
    for (const { kind, about, says } of differences) log.error({ kind, about }, says);
    for (const { kind, about, says } of notes) log.info({ kind, about }, says);
    for (const difference of differences) await delist(difference);
    await pollReturned(differences);
  }

  return async (stopping) => {
    if (Date.now() < nextRunAt) {
      if (failure) throw failure.error;
      return;
    }
    const claimed = await claim();
    if (claimed) {
      try {
        await carryOutClaimed(claimed, stopping);
      } catch (error) {
        failure = { error };
        nextRunAt = Date.now() + retryMs;
        throw error;
      }
    }
    failure = undefined;
    nextRunAt = Date.now() + intervalMs / 4;
  };
}
