// Emits each payout's outcome (paid, failed, returned) exactly once.
import { inArray, sql } from "drizzle-orm";
import { inBatches } from "../db/batch.ts";
import type { Database } from "../db/client.ts";
import { isAmong } from "../db/is-among.ts";
import { intent } from "../db/schema/intents.ts";
import { payout } from "../db/schema/payouts.ts";
import type { IntentId } from "../ids.ts";
import { toUnixSeconds } from "../model/unix-time.ts";
import { formatAmount } from "../money.ts";
import { formatFiat } from "../off-ramp/fiat.ts";
import { recordAllEvents } from "./record-events.ts";

/** Maximum number of payouts whose events are emitted in one transaction. */
const AT_ONCE = 50;

type Payout = typeof payout.$inferSelect;
type Ended = "completed" | "failed" | "returned";

const ENDED: Ended[] = ["completed", "failed", "returned"];

/** The amount that arrived at the bank; null if the provider does not report it. */
export const showDelivered = ({
  deliveredAmount: amount,
  deliveredCurrency: currency,
  rate,
}: Pick<Payout, "deliveredAmount" | "deliveredCurrency" | "rate">) => ({
  deliveredAmount: amount === null || currency === null ? null : formatFiat({ amount, currency }),
  deliveredCurrency: currency,
  rate,
});

/** Builds the data of a payout without its destination, which the merchant knows from the intent. */
const payoutData = (row: Payout) => ({
  object: "payout",
  id: row.id,
  paymentIntentId: row.intentId,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  settlementMethod: row.method,
  status: row.state,
  attempt: row.attempt,
  fee: formatAmount(row.fee, row.currency),
  gas: formatAmount(row.gas, row.currency),
  ...showDelivered(row),
  settledExternally: row.externalReference !== null,
  failureReason: row.failure,
  settlementTxHash: row.settlementTxHash,
  created: toUnixSeconds(row.createdAt),
});

type Pending = Pick<Payout, "id" | "intentId">;

/**
 * Emits the events of these payouts in one transaction. Skips payouts that a worker has locked.
 * @returns the number of payouts that were not skipped
 */
async function emit(database: Database, pending: readonly Pending[]): Promise<number> {
  const ids = pending.map(({ id }) => id);
  const intentIds = pending.map(({ intentId }) => intentId);
  return database.transaction(async (tx) => {
    // The lock order is the same everywhere: intents by id, then payouts. This transaction skips locked payouts instead
    // of waiting for them.
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
      return state && row.emittedState !== state ? [{ row, state }] : [];
    });
    if (news.length === 0) return rows.length;
    const newsByIntent = Map.groupBy(news, ({ row }) => row.intentId);
    await recordAllEvents(
      tx,
      subjects.map((subject) => ({
        subject,
        drafts: (newsByIntent.get(subject.id) ?? []).map(({ row, state }) => ({
          type: `payout.${state}`,
          decidedBy: row.id,
          data: {
            object: payoutData(row),
            ...(row.emittedState !== null && { previousAttributes: { status: row.emittedState } }),
          },
        })),
      })),
    );
    await tx
      .update(payout)
      .set({ emittedState: sql`${payout.state}` })
      .where(
        inArray(
          payout.id,
          news.map(({ row }) => row.id),
        ),
      );
    return rows.length;
  });
}

/**
 * Returns a function that emits the payout outcomes of some intents. The function returns the intents whose outcomes it
 * could not emit now, because another process has locked their payouts.
 */
export function createPayoutEmitter({
  database,
  reads,
}: Record<"database" | "reads", Database>): (intentIds: readonly IntentId[]) => Promise<Set<IntentId>> {
  const pending = reads
    .select({ id: payout.id, intentId: payout.intentId })
    .from(payout)
    .where(
      sql`${isAmong(payout.intentId, sql.placeholder("intentIds"))}
        and ${payout.state} in ('completed', 'failed', 'returned') and ${payout.emittedState} is distinct from ${payout.state}`,
    )
    .orderBy(payout.updatedAt)
    .prepare("pending_payouts");
  return async (intentIds) => {
    const rows = await pending.execute({ intentIds });
    const left = new Set<IntentId>();
    await inBatches(rows, AT_ONCE, async (some) => {
      if ((await emit(database, some)) < some.length) for (const { intentId } of some) left.add(intentId);
    });
    return left;
  };
}
