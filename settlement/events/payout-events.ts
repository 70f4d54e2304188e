// The event of each payout's outcome: paid, failed or returned.
import { sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { isAmong } from "#core/db/is-among.ts";
import { payout } from "#core/db/schema/payouts.ts";
import type { Draft } from "#core/events/record-events.ts";
import type { IntentId } from "#core/ids.ts";
import type { Payouts } from "#core/intent/intent-subqueries.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { formatAmount } from "#core/money.ts";
import { showArrived } from "#core/off-ramp/show-arrived.ts";

type Payout = typeof payout.$inferSelect;
type Ended = Payouts["unreported"][number]["state"];

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
  ...showArrived(row),
  failureReason: row.failure,
  settlementTxHash: row.settlementTxHash,
  created: toUnixSeconds(row.createdAt),
});

/** Returns the event of the outcome of a payout that has ended. */
const toDraft = (row: Payout, state: Ended): Draft => ({
  type: `payout.${state}`,
  decidedBy: row.id,
  data: {
    object: payoutData(row),
    ...(row.emittedState !== null && { previousAttributes: { status: row.emittedState } }),
  },
});

/** The events of payouts by intent, oldest first. An intent is missing if its view is outdated. */
type PayoutEvents = Map<IntentId, Draft[]>;

/**
 * Marks the payouts that these views show as unreported as reported, and returns their events: the caller records them in
 * the same transaction, and has locked the intents. No statement waits for a payout's lock. If
 * another process has changed or locked a payout since its view was read, the status that the view shows may be older
 * than the payout's state, so that nothing of the intent is reported.
 */
export async function reportPayouts(tx: Transaction, views: readonly IntentView[]): Promise<PayoutEvents> {
  const ids = views.flatMap(({ payouts }) => payouts?.unreported ?? []).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await lockPayouts(tx, ids);
  const rowById = new Map(rows.map((row) => [row.id, row]));
  const events: PayoutEvents = new Map();
  const reported: string[] = [];
  for (const {
    payouts,
    intent: { id },
  } of views) {
    const seen = payouts?.unreported ?? [];
    const current = seen.flatMap(({ id: payoutId, state }) => {
      const row = rowById.get(payoutId);
      return row?.state === state && row.emittedState !== state ? [{ row, state }] : [];
    });
    if (current.length < seen.length) continue;
    current.sort((a, b) => a.row.updatedAt.getTime() - b.row.updatedAt.getTime());
    events.set(
      id,
      current.map(({ row, state }) => toDraft(row, state)),
    );
    reported.push(...current.map(({ row }) => row.id));
  }
  if (reported.length > 0) {
    await tx
      .update(payout)
      .set({ emittedState: sql`${payout.state}` })
      .where(isAmong(payout.id, reported))
      .prepare("mark_emitted")
      .execute();
  }
  return events;
}

/** Locks these payouts, except those that another process has locked. */
const lockPayouts = (tx: Transaction, ids: readonly string[]) =>
  tx
    .select()
    .from(payout)
    .where(isAmong(payout.id, ids))
    .for("no key update", { skipLocked: true })
    .prepare("lock_payouts")
    .execute();
