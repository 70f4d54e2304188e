// Finds a payment's payouts that a provider has and the database has not.
import { count } from "drizzle-orm";
import { zeroHash } from "viem";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import { isAmong } from "#core/db/is-among.ts";
import { milestone } from "#core/db/schema/intents.ts";
import type { IntentId } from "#core/ids.ts";
import { buildPayouts } from "../payouts/build-payouts.ts";
import { findUncovered } from "../payouts/find-uncovered.ts";
import { sum } from "../payouts/payment-parts.ts";
import type { SettledPayment } from "../payouts/read-payments.ts";
import type { Context } from "../runtime/context.ts";
import { transfersOf } from "./find-candidates.ts";
import type { Transfers } from "./find-lost-payouts.ts";
import {
  type Attempts,
  findAttempts,
  listPlaces,
  MOST_PARTS,
  rankPlace,
  type Slot,
} from "./rebuild-attempts.ts";

/** How many more settlements and parts a payment may have had before a reorg than it has now, or is planned to have. */
const MORE_BEFORE = 3;

/** Counts the milestones that the merchant has planned for each payment, of which a reorg may have removed the releases. */
export async function countMilestones(
  { database }: Context,
  ids: IntentId[],
): Promise<Map<IntentId, number>> {
  const rows = await database
    .select({ id: milestone.intentId, planned: count() })
    .from(milestone)
    .where(isAmong(milestone.intentId, ids))
    .groupBy(milestone.intentId);
  return new Map(rows.map(({ id, planned }) => [id, planned]));
}

/** A payout that the provider has and the database has not. */
export type Known = { slot: Slot; found: Attempts };

/** Whether the latest attempt has paid, or may pay. */
const mayPay = (found: Attempts): boolean =>
  ["pending", "completed"].includes([...found.values()].at(-1)?.transfer.state ?? "");

/**
 * Returns how many parts a payment probably had before a reorg, and whether more have to be searched until payouts are
 * found for its amount.
 */
function estimateParts(
  { intent: row, milestones, settlements, parts }: SettledPayment,
  planned: number | undefined,
): { likely: number; isUncertain: boolean } {
  const ranks = parts.map(({ number, part }) => number + part);
  const most = Math.max(milestones.length + 1, (planned ?? 0) + 1, settlements.length, ...ranks);
  // Milestones may also be released without a plan.
  const hasNoPlan = planned === undefined && RELEASE_TYPES[row.terms.releaseType] === "MILESTONE_LOCKED";
  return { likely: most + MORE_BEFORE, isUncertain: hasNoPlan || sum(settlements) > sum(parts) };
}

/**
 * Finds the payouts that a provider has, under every number that the payment may have had. A reorg may have divided the
 * settlements differently since they were planned, or removed them: what was paid is the amount of the transfer. The
 * settlement's amount is zero, so that its receipt is verified before more is paid from it.
 */
export function findKnown(
  { deployment }: Context,
  payment: SettledPayment,
  planned: number | undefined,
  head: { block: number },
  transfers: Transfers,
): Known[] {
  const { intent: row, settlements, parts } = payment;
  const open = transfersOf(row, transfers);
  const { likely, isUncertain } = estimateParts(payment, planned);
  const known: Known[] = [];
  let lacking = isUncertain ? row.amount - sum(parts) : 0n;
  for (const place of listPlaces(Math.max(likely, MOST_PARTS))) {
    if (open.size === 0 || (rankPlace(place) > likely && lacking <= 0n)) break;
    const { settlementNumber, part } = place;
    if (parts.some((one) => one.number === settlementNumber && one.part === part)) continue;
    const key = { intentId: row.id, settlementNumber, part };
    const found = findAttempts(deployment, key, 0, open);
    for (const { transfer } of found.values()) open.delete(transfer.reference);
    const [first] = found.values();
    if (!first) continue;
    const { amount, createdAt } = first.transfer;
    const settlement = settlements.find(({ number }) => number === settlementNumber) ?? settlements.at(-1);
    const slot = {
      ...key,
      settlementTxHash: settlement?.txHash ?? zeroHash,
      settlementBlock: settlement?.block ?? head.block,
      settledAt: new Date(Math.min((settlement?.settledAt ?? Infinity) * 1_000, createdAt.getTime())),
      settlementAmount: 0n,
      ...{ method: row.settlementMethod, destination: row.settlementDestination, currency: row.currency },
      ...{ amount, latest: null },
    };
    known.push({ slot, found });
    if (mayPay(found)) lacking -= amount;
  }
  return known;
}

/** Returns a payout that is to be stored in the form of a stored one. */
export const toPart = ({ settlementNumber, part, amount }: Slot) => ({
  number: settlementNumber,
  part,
  amount,
});

/**
 * Selects the payouts to be stored. One that has failed is stored only if the payment lacks its amount, or would have it
 * planned under the same reference. Otherwise it would be additional: its amount would count as planned although nothing
 * is settled for it, so that what the chain settles later would not be paid.
 */
export function selectKnown(context: Context, payment: SettledPayment, known: readonly Known[]): Known[] {
  const { settlements, parts } = payment;
  const stored = known.filter(({ found }) => mayPay(found));
  for (const one of known.filter(({ found }) => !mayPay(found))) {
    const missing = findUncovered(settlements, [...parts, ...stored.map(({ slot }) => toPart(slot))]);
    const isPlanned = missing
      .flatMap((uncovered) => buildPayouts(context, payment, uncovered))
      .some((row) => row.settlementNumber === one.slot.settlementNumber && row.part === one.slot.part);
    if (isPlanned || sum(missing) >= one.slot.amount) stored.push(one);
  }
  return stored;
}
