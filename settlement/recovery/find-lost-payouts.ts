// Finds attempts of payouts that the database has lost and only the provider has.
import { and, asc, eq, gt } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, type OrderId, toIntentId } from "#core/ids.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { noAllocation } from "#core/payouts/no-allocation.ts";
import { formatMoney } from "../reconciliation/discrepancy.ts";
import type { Context } from "../runtime/context.ts";
import type { Behind } from "./read-transfers.ts";
import {
  type AccountTransfer,
  type Attempts,
  findAttempts,
  listPlaces,
  MOST_PARTS,
  NEVER_ORDERED,
  type PayoutRow,
  type Rebuilt,
  rebuildAttempts,
  type Slot,
} from "./rebuild-attempts.ts";
import type { Repair } from "./repair.ts";

/** Number of payouts per page. */
const PAGE = 500;

export type Pay = (payoutIds: string[]) => Promise<void>;

export type Transfers = Map<string, AccountTransfer>;

const queryPayout = (database: Context["database"], id: string, says: string, pay: Pay): Repair => ({
  kind: "payout_behind",
  about: id,
  says,
  does: "Queries the provider and records the response.",
  async apply(note) {
    await database.transaction(async (tx) => {
      await tx.update(payout).set(dueNow).where(eq(payout.id, id));
      await note(tx);
    });
    await pay([id]);
  },
});

/** Returns a repair for each payout for which the provider has a later state. */
export const listPayoutsBehind = ({ database }: Context, behind: readonly Behind[], pay: Pay): Repair[] =>
  behind.map(({ payout: { id, intent: intentId, state }, transfer }) => {
    const says = `Payout ${id} of ${intentId} is ${state}, but the provider's transfer ${transfer.providerId} is ${transfer.state}.`;
    return queryPayout(database, id, says, pay);
  });

export type RebuiltPart = { says: string; rebuilt: Rebuilt | string };

/** Rebuilds the attempts of a part that only the provider has, and removes their transfers from `transfers`. */
export function rebuildPart(
  { deployment, config }: Context,
  slot: Slot,
  found: Attempts,
  transfers: Transfers,
): RebuiltPart {
  const { part, amount, currency } = slot;
  for (const { transfer } of found.values()) transfers.delete(transfer.reference);
  const named = [...found].map(
    ([attempt, { transfer }]) => `attempt ${attempt} is transfer ${transfer.providerId} (${transfer.state})`,
  );
  return {
    says: `in part ${part} (${formatMoney(amount, currency)}), ${named.join(", ")}`,
    rebuilt: rebuildAttempts(slot, found, deployment, config.returnFeeBearer),
  };
}

/** Stores the lost attempts, and ends the stored attempt if a later one exists. */
export async function store(tx: Transaction, intentId: IntentId, latest: PayoutRow | null, rebuilt: Rebuilt) {
  await tx.select({ id: intent.id }).from(intent).where(eq(intent.id, intentId)).for("update");
  if (latest) {
    const ended = rebuilt.endLatest
      ? {
          state: "failed" as const,
          failure: NEVER_ORDERED,
          amount: rebuilt.endLatest.amount,
          nextAttemptAt: null,
          leasedUntil: null,
          ...noAllocation,
        }
      : {};
    await tx
      .update(payout)
      .set({ retried: true, ...ended })
      .where(eq(payout.id, latest.id));
  }
  await tx.insert(payout).values(rebuilt.rows);
}

function repairAttempts(
  { database }: Context,
  latest: PayoutRow,
  { says, rebuilt }: RebuiltPart,
  pay: Pay,
): Repair {
  const { id, intentId, attempt, state } = latest;
  const base = {
    kind: "attempt_lost",
    about: id,
    says: `Attempts after payout ${id} of ${intentId} (attempt ${attempt}, ${state}) are missing: ${says}.`,
  } as const;
  if (typeof rebuilt === "string") return { ...base, does: `Nothing: ${rebuilt}.` };
  return {
    ...base,
    does: "Stores the later attempts with the provider's ids. Nothing is ordered.",
    async apply(note) {
      await database.transaction(async (tx) => {
        await store(tx, intentId, latest, rebuilt);
        await note(tx);
      });
      await pay(rebuilt.toAsk);
    },
  };
}

/** Whether an accepted attempt may have ended since. Its transfer may be older than those that were read. */
const mayHaveEnded = ({ providerId, state }: PayoutRow): boolean =>
  providerId !== null && state !== "failed" && state !== "returned";

/**
 * Finds attempts after the latest stored one, page by page among the payouts that may have a later attempt.
 * @param behind payouts whose stored state is repaired before their later attempts
 */
export async function findLostAttempts(
  context: Context,
  transfers: Transfers,
  behind: readonly Behind[],
  pay: Pay,
): Promise<Repair[]> {
  const { database } = context;
  const first = new Set(behind.map(({ payout: { id } }) => id));
  const repairs: Repair[] = [];
  for (let after = ""; transfers.size > 0; ) {
    const rows = await database
      .select()
      .from(payout)
      .where(and(gt(payout.id, after), eq(payout.retried, false)))
      .orderBy(asc(payout.id))
      .limit(PAGE);
    for (const latest of rows) {
      const found = findAttempts(context.deployment, latest, latest.attempt, transfers);
      if (found.size === 0) continue;
      const lost = rebuildPart(context, { ...latest, latest }, found, transfers);
      if (first.has(latest.id)) {
        const rebuilt = `the state of attempt ${latest.attempt} is repaired first`;
        repairs.push(repairAttempts(context, latest, { ...lost, rebuilt }, pay));
      } else if (mayHaveEnded(latest)) {
        const { id, intentId, attempt, state } = latest;
        const says = `Payout ${id} of ${intentId} (attempt ${attempt}) is ${state}, but was retried: ${lost.says}.`;
        repairs.push(queryPayout(database, id, says, pay));
      } else repairs.push(repairAttempts(context, latest, lost, pay));
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    after = last.id;
  }
  return repairs;
}

/** Removes the transfers of payments that are not restored yet: they are repaired after their payments. */
export function skipTransfersOfLostOrders(
  { deployment }: Context,
  orderIds: readonly OrderId[],
  transfers: Transfers,
): void {
  if (transfers.size === 0) return;
  for (const orderId of orderIds) {
    for (const place of listPlaces(MOST_PARTS)) {
      const found = findAttempts(deployment, { intentId: toIntentId(orderId), ...place }, 0, transfers);
      for (const { transfer } of found.values()) transfers.delete(transfer.reference);
    }
  }
}
