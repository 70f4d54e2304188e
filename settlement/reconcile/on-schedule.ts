// Reconciles now and then, one replica for all, and keeps what it found for the metrics.
import { eq, sql } from "drizzle-orm";
import { reconciliation } from "#core/db/ledger-schema.ts";
import type { Context } from "../context.ts";
import type { Discrepancy } from "./discrepancy.ts";
import { reconcile } from "./reconcile.ts";

/** Of the provider's transfers those of the last days: older ones have been compared often enough. */
const LOOK_BACK_MS = 7 * 86_400_000;

function countsOf(found: Discrepancy[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of found) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * Makes the run: it does nothing until a reconciliation is due.
 * @param secondLookMs see reconcile
 */
export function createScheduledReconciler(context: Context, secondLookMs?: number): () => Promise<void> {
  const { database, log, config } = context;
  const intervalMs = config.reconcileInterval * 1_000;
  let lookAt = 0;

  /** Whoever writes the row does the work; if he dies, the next one is due as usual. */
  const claim = (): Promise<number | undefined> =>
    database.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('gateway.reconcile', 0))`);
      const { rows } = await tx.execute<{ id: string }>(sql`
        insert into ${reconciliation} (differences) select null where not exists (
          select from ${reconciliation} where created_at > statement_timestamp() - ${intervalMs} * interval '1 millisecond')
        returning id`);
      return rows[0] && Number(rows[0].id);
    });

  return async () => {
    if (Date.now() < lookAt) return;
    const id = await claim();
    if (id !== undefined) {
      const since = new Date(Date.now() - LOOK_BACK_MS);
      const found = await reconcile(context, { since }, secondLookMs);
      for (const { kind, about, says } of found) log.error({ kind, about }, says);
      await database
        .update(reconciliation)
        .set({ differences: countsOf(found) })
        .where(eq(reconciliation.id, id));
    }
    lookAt = Date.now() + intervalMs / 4;
  };
}
