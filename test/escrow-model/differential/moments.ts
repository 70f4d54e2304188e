// The times at which something becomes possible or impossible.
import type { Order } from "../order.ts";
import type { Terms } from "../terms.ts";

/** Returns every boundary with the seconds before and after it, in ascending order. */
export function momentsBeside(terms: Terms, order: Order | null): number[] {
  const boundaries = [terms.timeLockUntil, terms.timeLockUntil - 2 - terms.disputeWindow];
  if (order) boundaries.push(order.deliveryDeadline, order.disputeDeadline);
  else boundaries.push(terms.fundingDeadline);
  return boundaries.flatMap((at) => [at - 1, at, at + 1]).sort((a, b) => a - b);
}
