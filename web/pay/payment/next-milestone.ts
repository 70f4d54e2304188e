// Finds the milestone that the payer can release next, and the amount that the release moves. The contract's releases
// are cumulative.
import { isOpen } from "#core/chain/terms.ts";
import { toUnits } from "./amounts.ts";
import type { Checkout, Milestone } from "./checkout.ts";
import type { Verified } from "./verify.ts";

/** Amounts in the token's smallest unit. */
export type NextMilestone = {
  milestone: Milestone;
  /** The cumulative release, which is the argument of the contract call. */
  cumulative: bigint;
  /** The amount that the release moves. */
  amount: bigint;
  /** Whether `amount` is less than planned, because part of the milestone has been released or refunded. */
  partial: boolean;
  /** The amount that stays in escrow after the release. */
  left: bigint;
};

/** @returns undefined unless the payer could release a planned milestone now */
export function nextMilestone(
  { data }: Checkout,
  { releaseType, terms }: Verified,
): NextMilestone | undefined {
  const { order, milestones, currency } = data;
  if (!order || releaseType !== "MILESTONE_LOCKED" || !isOpen(order.status)) return undefined;
  const released = toUnits(order.released, currency);
  // Partial refunds reduce the last milestones first.
  const most = terms.amount - toUnits(order.refunded, currency);
  let end = 0n;
  for (const milestone of milestones) {
    const planned = toUnits(milestone.amount, currency);
    end += planned;
    const cumulative = end < most ? end : most;
    if (cumulative <= released) continue;
    const amount = cumulative - released;
    return { milestone, cumulative, amount, partial: amount !== planned, left: most - cumulative };
  }
  return undefined;
}
