// Tells what became of payouts: paid, failed, returned. Level-triggered: what is untold is told, once.
import { inArray, sql } from "drizzle-orm";
import { inBatches } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { payout } from "../db/payout-schema.ts";
import { intent } from "../db/schema.ts";
import { formatAmount } from "../money.ts";
import { recordEventsOf } from "./record-events.ts";

const BATCH = 200;
/** Told in one transaction. */
const AT_ONCE = 50;

type Payout = typeof payout.$inferSelect;
type Ended = "completed" | "failed" | "returned";

const ENDED: Ended[] = ["completed", "failed", "returned"];

/** Where the money went, the merchant knows from the intent. */
const payoutData = (row: Payout, metadata: Record<string, unknown>) => ({
  object: "payout",
  id: row.id,
  paymentIntentId: row.intentId,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  settlementMethod: row.method,
  status: row.state,
  attempt: row.attempt,
  failureReason: row.failure,
  settlementTxHash: row.settlementTxHash,
  created: Math.floor(row.createdAt.getTime() / 1000),
  metadata,
});

type Untold = Pick<Payout, "id" | "intentId">;

/**
 * Tells of these payouts in one transaction. One that is at work elsewhere is told in the next run.
 * @returns how many were told
 */
async function tell(database: Database, untold: readonly Untold[]): Promise<number> {
  const ids = untold.map(({ id }) => id);
  const intentIds = untold.map(({ intentId }) => intentId);
  return database.transaction(async (tx) => {
    // Everybody locks in this order: intents, by their ids, and then payouts, for which nobody waits.
    const subjects = await tx
      .select()
      .from(intent)
      .where(inArray(intent.id, intentIds))
      .orderBy(intent.id)
      .for("update");
    const rows = await tx
      .select()
      .from(payout)
      .where(inArray(payout.id, ids))
      .orderBy(payout.updatedAt)
      .for("update", { skipLocked: true });
    const news = rows.flatMap((row) => {
      const state = ENDED.find((ended) => ended === row.state);
      return state && row.toldState !== state ? [{ row, state }] : [];
    });
    if (news.length === 0) return 0;
    const newsOf = Map.groupBy(news, ({ row }) => row.intentId);
    await recordEventsOf(
      tx,
      subjects.map((subject) => ({
        subject,
        drafts: (newsOf.get(subject.id) ?? []).map(({ row, state }) => ({
          type: `payout.${state}`,
          decidedBy: row.id,
          data: {
            object: payoutData(row, subject.metadata),
            ...(row.toldState !== null && { previousAttributes: { status: row.toldState } }),
          },
        })),
      })),
    );
    await tx
      .update(payout)
      .set({ toldState: sql`${payout.state}` })
      .where(
        inArray(
          payout.id,
          news.map(({ row }) => row.id),
        ),
      );
    return news.length;
  });
}

/** Makes the run that tells payouts. */
export function createPayoutTeller({
  database,
  reads,
}: Record<"database" | "reads", Database>): () => Promise<void> {
  const untold = reads
    .select({ id: payout.id, intentId: payout.intentId })
    .from(payout)
    // Word for word what `payout_untold` has.
    .where(
      sql`${payout.state} in ('completed', 'failed', 'returned') and ${payout.toldState} is distinct from ${payout.state}`,
    )
    .orderBy(payout.updatedAt)
    .limit(BATCH)
    .prepare("untold_payouts");
  return async () => {
    for (;;) {
      const rows = await untold.execute();
      let told = 0;
      await inBatches(rows, AT_ONCE, async (some) => {
        told += await tell(database, some);
      });
      // There may be more; but where all of these are at work elsewhere, they are not asked for again at once.
      if (rows.length < BATCH || told === 0) return;
    }
  };
}
