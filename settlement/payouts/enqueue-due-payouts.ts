// Sends jobs for payouts that are due again: to poll them, to retry them, or to resume them after a worker died.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { deployment } from "#core/db/schema/deployments.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueAt } from "#core/payouts/due-now.ts";
import type { Context } from "../runtime/context.ts";
import { enqueuePayouts, nameJob } from "./payout-queue.ts";

const LIMIT = 1_000;

/** Whether a payout is due, according to its row and its worker's lease. */
const isDue = and(
  lte(payout.nextAttemptAt, sql`statement_timestamp()`),
  lte(dueAt, sql`statement_timestamp()`),
);

/** Whether any payout of the query's deployment is due. */
export const arePayoutsDue: SQL = sql`exists (select from ${payout}
  join ${intent} on ${intent.id} = ${payout.intentId} and ${intent.deploymentId} = ${deployment.id} where ${isDue})`;

/** Returns a function that sends jobs for the payouts that are due. */
export function createPayoutEnqueuer({ reads, deployment: current, boss }: Context): () => Promise<void> {
  const due = reads
    .select({
      id: payout.id,
      reference: payout.reference,
      dueAt,
      now: sql<Date>`clock_timestamp()`.mapWith(payout.nextAttemptAt),
    })
    .from(payout)
    .innerJoin(intent, and(eq(intent.id, payout.intentId), eq(intent.deploymentId, current.id)))
    .where(isDue)
    .orderBy(asc(payout.nextAttemptAt))
    .limit(LIMIT)
    .prepare("due_payouts");
  let sent = new Set<string>();

  return async () => {
    const rows = await due.execute();
    const now = rows[0]?.now.getTime();
    const payouts = rows.flatMap(({ dueAt, ...row }) => (dueAt ? [{ ...row, dueAt }] : []));
    const fresh = payouts.filter((row) => !sent.has(nameJob(row, now)));
    await enqueuePayouts(boss, fresh, now);
    sent = new Set(payouts.map((row) => nameJob(row, now)));
  };
}
