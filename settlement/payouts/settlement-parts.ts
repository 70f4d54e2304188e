// Splits a settlement into payouts, one per milestone. The merchant was promised a payout for each milestone, although
// the contract settles everything that was released since the last settlement at once.

import { larger, smaller } from "#core/money.ts";

/**
 * Milestones are released in order and before any other release, and a settlement includes everything that is released.
 * Therefore settlements and milestones cover the same sequence of units without gaps.
 * @param settlement its amount, and the total of the order's earlier settlements
 * @param milestones the amount of each release, in order
 * @returns amounts that add up to the settlement
 */
export function splitSettlement(
  { before, amount }: { before: bigint; amount: bigint },
  milestones: readonly bigint[],
): bigint[] {
  const end = before + amount;
  const parts: bigint[] = [];
  let place = 0n;
  for (const milestone of milestones) {
    const part = smaller(place + milestone, end) - larger(place, before);
    if (part > 0n) parts.push(part);
    place += milestone;
  }
  const rest = end - larger(place, before);
  return rest > 0n ? [...parts, rest] : parts;
}

/**
 * Joins parts that a bank does not accept: an on-chain release may have any amount, but a bank requires a minimum and
 * full cents. Such parts are paid together with the following ones, and the last parts with the preceding ones.
 */
export function joinUnpayable(parts: readonly bigint[], isPayable: (amount: bigint) => boolean): bigint[] {
  const joined: bigint[] = [];
  let open = 0n;
  for (const part of parts) {
    open += part;
    if (!isPayable(open)) continue;
    joined.push(open);
    open = 0n;
  }
  if (open === 0n) return joined;
  for (let last = joined.pop(); last !== undefined; last = joined.pop()) {
    open += last;
    if (isPayable(open)) break;
  }
  return [...joined, open];
}
