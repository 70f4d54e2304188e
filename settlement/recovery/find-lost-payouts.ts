// Finds attempts of payouts that the database has lost and only the provider has.
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import * as chain from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { type IntentId, toIntentId } from "#core/ids.ts";
import { dueNow } from "#core/payouts/due-now.ts";
import { releasedFunds } from "#core/payouts/released-funds.ts";
import { formatMoney } from "../reconciliation/discrepancy.ts";
import type { Context } from "../runtime/context.ts";
import type { Behind } from "./read-transfers.ts";
import {
  type AccountTransfer,
  findAttempts,
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

/** Returns a repair for each payout for which the provider has a later state. */
export const listPayoutsBehind = ({ database }: Context, behind: readonly Behind[], pay: Pay): Repair[] =>
  behind.map(({ payout: { id, intent: intentId, state }, transfer }) => ({
    kind: "payout_behind",
    about: id,
    says: `Payout ${id} of ${intentId} is ${state}, but the provider's transfer ${transfer.providerId} is ${transfer.state}.`,
    does: "Queries the provider and records the response.",
    async apply(note) {
      await database.transaction(async (tx) => {
        await tx.update(payout).set(dueNow).where(eq(payout.id, id));
        await note(tx);
      });
      await pay([id]);
    },
  }));

export type RebuiltPart = { says: string; rebuilt: Rebuilt | string };

/** Rebuilds the attempts of a part that only the provider has, and removes their transfers from `transfers`. */
export function rebuildPart(
  { deployment, config }: Context,
  slot: Slot,
  transfers: Transfers,
): RebuiltPart | undefined {
  const { latest, part, amount, currency } = slot;
  const found = findAttempts(deployment, slot, latest?.attempt ?? 0, transfers);
  if (found.size === 0) return undefined;
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
          nextAttemptAt: null,
          leasedUntil: null,
          ...releasedFunds,
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

/** Finds attempts after the latest stored one, page by page among the payouts that may have a later attempt. */
export async function findLostAttempts(context: Context, transfers: Transfers, pay: Pay): Promise<Repair[]> {
  const { database } = context;
  const repairs: Repair[] = [];
  for (let after = ""; transfers.size > 0; ) {
    const rows = await database
      .select()
      .from(payout)
      .where(and(gt(payout.id, after), eq(payout.retried, false)))
      .orderBy(asc(payout.id))
      .limit(PAGE);
    for (const latest of rows) {
      const lost = rebuildPart(context, { ...latest, latest }, transfers);
      if (lost) repairs.push(repairAttempts(context, latest, lost, pay));
    }
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    after = last.id;
  }
  return repairs;
}

/** Removes the transfers of settlements whose payment is not restored yet: they are repaired after their payments. */
export async function skipTransfersOfLostOrders(
  context: Context,
  orderIds: readonly string[],
  transfers: Transfers,
) {
  if (orderIds.length === 0) return;
  const settlements = await context.database
    .select({ orderId: chain.settlement.orderId, settlementNumber: chain.settlement.number })
    .from(chain.settlement)
    .where(inArray(chain.settlement.orderId, orderIds as chain.OrderRow["id"][]));
  for (const { orderId, settlementNumber } of settlements) {
    for (let part = 0; part < MOST_PARTS; part++) {
      for (const { transfer } of findAttempts(
        context.deployment,
        { intentId: toIntentId(orderId), settlementNumber, part },
        0,
        transfers,
      ).values()) {
        transfers.delete(transfer.reference);
      }
    }
  }
}

/** The maximum number of milestones that one settlement may pay. */
export const MOST_PARTS = 50;
