// The state of one order, and the predicates that several operations share.
import type { Fix } from "./fixes.ts";
import { type Address, isReleasedByProof, type Terms, ZERO } from "./terms.ts";

/** In the order of the contract's enum: the index is the number in the service's interface. */
export const STATUSES = [
  "Created",
  "Shipped",
  "Delivered",
  "AwaitingSettlement",
  "Completed",
  "Cancelled",
  "Disputed",
] as const;
export type Status = (typeof STATUSES)[number];

export type Side = "payer" | "merchant";

export interface Order {
  payer: Address;
  status: Status;
  /** The last second for a proof; disputes move it. */
  deliveryDeadline: number;
  /** The last second for the arbiter; kept after the dispute. Zero: none was raised. */
  disputeDeadline: number;
  /** How many disputes were raised; an agreement names the one that it ends. */
  disputes: number;
  /** The side of the latest dispute. */
  disputeSide: Side | null;
  payerDisputed: boolean;
  merchantDisputed: boolean;
  /** What a disputed order resumes as. */
  statusBefore: Status;
  proven: boolean;
  released: bigint;
  refunded: bigint;
  settled: bigint;
  withdrawn: bigint;
  /** Refunded, but the token refused the transfer. */
  credit: bigint;
  /** How many partial releases there were. No guard reads it (without fix F6 one does). */
  milestones: number;
}

/** Before it is funded. */
export const UNFUNDED: Order = {
  payer: ZERO,
  status: "Created",
  deliveryDeadline: 0,
  disputeDeadline: 0,
  disputes: 0,
  disputeSide: null,
  payerDisputed: false,
  merchantDisputed: false,
  statusBefore: "Created",
  proven: false,
  released: 0n,
  refunded: 0n,
  settled: 0n,
  withdrawn: 0n,
  credit: 0n,
  milestones: 0,
};

/** Everything that guards read. */
export interface Facts {
  order: Order;
  terms: Terms;
  now: number;
  withoutFix: Fix | null;
}

export function isOpen(order: Order): boolean {
  return order.status === "Created" || order.status === "Shipped" || order.status === "Delivered";
}

export function hasUnreleasedStatus(order: Order): boolean {
  return isOpen(order) || order.status === "Disputed";
}

/** The amount that is neither released nor refunded. */
export function unreleased(order: Order, terms: Terms): bigint {
  return terms.amount - order.released - order.refunded;
}

/** The amount that is released but still in the escrow. */
export function due(order: Order): bigint {
  return order.released - order.settled - order.withdrawn;
}

/** An oracle that is not a party of the order, judged against the actual payer. */
export function hasIndependentOracle({ order, terms, withoutFix }: Facts): boolean {
  const oracle = terms.deliveryOracle;
  if (oracle === ZERO) return false;
  if (withoutFix === "F9") return true;
  return (
    oracle !== terms.payee &&
    oracle !== order.payer &&
    oracle !== terms.operator &&
    oracle !== terms.arbiter &&
    oracle !== terms.offRamp
  );
}

/** An expired lock on an order that was marked as shipped. */
export function isLockOver({ order, terms, now }: Facts): boolean {
  return (
    terms.releaseType === "TIME_LOCKED" &&
    (order.status === "Shipped" || order.status === "Delivered") &&
    now >= terms.timeLockUntil
  );
}

/** The payer's vested exit: reclaim is open. */
export function isPayerVested(facts: Facts): boolean {
  const { order, now } = facts;
  return isOpen(order) && now > order.deliveryDeadline && !order.proven && !isLockOver(facts);
}

/** The payee's vested exit: releaseTimeLocked, or the payee's row of release, is open. */
export function isPayeeVested(facts: Facts): boolean {
  return isLockOver(facts) || payeeMayRelease(facts);
}

/** The payee's row of release: the mirror of reclaim, and an independent oracle's proof of milestones. */
export function payeeMayRelease(facts: Facts): boolean {
  const { order, terms, now, withoutFix } = facts;
  if (withoutFix === "payee releases a proven order") return false;
  if (!isOpen(order) || !order.proven) return false;
  if (terms.releaseType === "MILESTONE_LOCKED") return hasIndependentOracle(facts);
  return isReleasedByProof(terms) && now > order.deliveryDeadline;
}
