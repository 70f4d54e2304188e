// The state of an order, and the predicates that several operations share.
import type { Fix } from "./fixes.ts";
import { type Address, isReleasedByProof, type Terms, ZERO } from "./terms.ts";

/** In the order of the contract's enum. The index is the status number in the service's interface. */
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
  /** The last second in which a proof is accepted. Disputes extend it. */
  deliveryDeadline: number;
  /** The last second in which the arbiter may resolve. It is kept after the dispute. Zero: no dispute was raised. */
  disputeDeadline: number;
  /** The number of disputes raised so far. An agreement names the one that it ends. */
  disputes: number;
  /** The side that raised the latest dispute. */
  disputeSide: Side | null;
  payerDisputed: boolean;
  merchantDisputed: boolean;
  /** The status to which a disputed order returns. */
  statusBefore: Status;
  proven: boolean;
  released: bigint;
  refunded: bigint;
  settled: bigint;
  withdrawn: bigint;
  /** The refunded amount whose transfer the token refused. */
  credit: bigint;
  /** The number of partial releases. Guards do not read it, except without fix F6. */
  milestones: number;
}

/** An order before it is funded. */
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

/** Whether the oracle is not a party of the order, based on the actual payer. */
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

/** Whether the lock has expired on an order that was marked as shipped. */
export function isLockOver({ order, terms, now }: Facts): boolean {
  return (
    terms.releaseType === "TIME_LOCKED" &&
    (order.status === "Shipped" || order.status === "Delivered") &&
    now >= terms.timeLockUntil
  );
}

/** Whether the payer has a vested exit, which means that reclaim is open. */
export function isPayerVested(facts: Facts): boolean {
  const { order, now } = facts;
  return isOpen(order) && now > order.deliveryDeadline && !order.proven && !isLockOver(facts);
}

/** Whether the payee has a vested exit: releaseTimeLocked, or release by the payee, is open. */
export function isPayeeVested(facts: Facts): boolean {
  return isLockOver(facts) || payeeMayRelease(facts);
}

/**
 * Whether the payee may call release: as the mirror of reclaim, or after an independent oracle has proven milestones.
 */
export function payeeMayRelease(facts: Facts): boolean {
  const { order, terms, now, withoutFix } = facts;
  if (withoutFix === "payee releases a proven order") return false;
  if (!isOpen(order) || !order.proven) return false;
  if (terms.releaseType === "MILESTONE_LOCKED") return hasIndependentOracle(facts);
  return isReleasedByProof(terms) && now > order.deliveryDeadline;
}
