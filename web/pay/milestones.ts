// The milestone that the payer can release next, and what it moves: the contract's releases are cumulative.
import { toUnits } from "./amounts.ts";
import { type Checkout, isOpen, type Milestone } from "./checkout.ts";
import type { Verified } from "./verify.ts";

/** Amounts in the token's smallest unit. */
export type NextMilestone = {
  milestone: Milestone;
  /** Released in total afterwards: what the contract is called with. */
  cumulative: bigint;
  /** What its release moves. */
  amount: bigint;
  /** Whether that is less than planned, because a part of it is released or refunded already. */
  partial: boolean;
  /** What stays in escrow afterwards. */
  left: bigint;
};

/** @returns undefined unless the contract would release a planned milestone at the payer's call */
export function nextMilestone(
  { data }: Checkout,
  { releaseType, terms }: Verified,
): NextMilestone | undefined {
  const { order, milestones, currency } = data;
  if (!order || releaseType !== "MILESTONE_LOCKED" || !isOpen(order.status)) return undefined;
  const released = toUnits(order.released, currency);
  // Partial refunds are taken from the last milestones.
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
