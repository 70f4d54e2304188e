// Tells what became of payouts: paid, failed, returned. Level-triggered: what is untold is told, once.
import { eq, sql } from "drizzle-orm";
import type { Database } from "../db/client.ts";
import { intent, payout } from "../db/schema.ts";
import { formatAmount } from "../money.ts";
import { recordEvents } from "./record-events.ts";

const BATCH = 200;

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

async function tell(database: Database, { id, intentId }: Pick<Payout, "id" | "intentId">): Promise<void> {
  await database.transaction(async (tx) => {
    const [subject] = await tx.select().from(intent).where(eq(intent.id, intentId)).for("update");
    const [row] = await tx.select().from(payout).where(eq(payout.id, id)).for("update");
    const state = ENDED.find((ended) => ended === row?.state);
    if (!subject || !row || !state || row.toldState === state) return;
    const before = row.toldState === null ? {} : { previousAttributes: { status: row.toldState } };
    await recordEvents(tx, subject, [
      {
        type: `payout.${state}`,
        decidedBy: row.id,
        data: { object: payoutData(row, subject.metadata), ...before },
      },
    ]);
    await tx.update(payout).set({ toldState: state }).where(eq(payout.id, id));
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
    for (const row of await untold.execute()) await tell(database, row);
  };
}
