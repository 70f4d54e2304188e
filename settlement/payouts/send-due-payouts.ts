// Sends jobs for the payouts that are due: to be carried out, to be asked after, or left behind by a worker that died.
import { and, asc, eq, lte, sql } from "drizzle-orm";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueAt } from "#core/payouts/due-now.ts";
import type { Context } from "../runtime/context.ts";
import { lookOf, sendPayouts } from "./payout-queue.ts";

const LIMIT = 1_000;

/** Makes the run. */
export function createDueSender({ reads, deployment, boss }: Context): () => Promise<void> {
  const due = reads
    .select({
      id: payout.id,
      reference: payout.reference,
      dueAt,
      now: sql<Date>`clock_timestamp()`.mapWith(payout.nextAttemptAt),
    })
    .from(payout)
    .innerJoin(intent, and(eq(intent.id, payout.intentId), eq(intent.deploymentId, deployment.id)))
    .where(and(lte(payout.nextAttemptAt, sql`statement_timestamp()`), lte(dueAt, sql`statement_timestamp()`)))
    .orderBy(asc(payout.nextAttemptAt))
    .limit(LIMIT)
    .prepare("due_payouts");
  let sent = new Set<string>();

  return async () => {
    const rows = await due.execute();
    const now = rows[0]?.now.getTime();
    const payouts = rows.flatMap(({ dueAt, ...row }) => (dueAt ? [{ ...row, dueAt }] : []));
    const fresh = payouts.filter((row) => !sent.has(lookOf(row, now)));
    await sendPayouts(boss, fresh, now);
    sent = new Set(payouts.map((row) => lookOf(row, now)));
  };
}
