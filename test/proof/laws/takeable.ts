// The amount that a party can take at a given time by its own calls, after an expired dispute is closed.
import { type Facts, NOTHING, type Order, restOf } from "../model/order.ts";
import { resolveExpiredDispute } from "../operations/disputes.ts";
import { reclaim } from "../operations/refunds.ts";
import { payeeMayRelease, releaseTimeLocked } from "../operations/release.ts";
import { type Int, minus, or, plus, when } from "../smt/term.ts";

/** By reclaim, or by first closing an expired dispute, which may already refund. */
export function takeableByPayer(facts: Facts): Int {
  const byPayer = { ...facts, caller: facts.order.payer };
  const reclaimable = (order: Order) => {
    const step = reclaim({ ...byPayer, order });
    return when(step.guard, minus(step.order.refunded, order.refunded), NOTHING);
  };
  const expired = resolveExpiredDispute(byPayer);
  const refunded = minus(expired.order.refunded, facts.order.refunded);
  const then = plus(refunded, reclaimable(expired.order));
  return plus(reclaimable(facts.order), when(expired.guard, then, NOTHING));
}

/** By releaseTimeLocked or release, or by first closing an expired dispute, which may already release. */
export function takeableByPayee(facts: Facts): Int {
  const byPayee = { ...facts, caller: facts.terms.payee };
  const releasable = (order: Order) => {
    const at = { ...byPayee, order };
    const vested = or(payeeMayRelease(at), releaseTimeLocked(at).guard);
    return when(vested, restOf(at), NOTHING);
  };
  const expired = resolveExpiredDispute(byPayee);
  const released = minus(expired.order.released, facts.order.released);
  const then = plus(released, releasable(expired.order));
  return plus(releasable(facts.order), when(expired.guard, then, NOTHING));
}
