// A symbolic order: its terms, its state, and the predicates that several operations share. Addresses are numbers that
// can only be compared. Amounts and times are unbounded.
import { STATUSES, type Status } from "../../escrow-model/order.ts";
import { MAX_DISPUTE_WINDOW, RELEASE_TYPES, type ReleaseType } from "../../escrow-model/terms.ts";
import {
  and,
  type Bool,
  boolVariable,
  equals,
  type Int,
  int,
  intVariable,
  isAtMost,
  isIn,
  isLess,
  minus,
  not,
  or,
} from "../smt/term.ts";
import type { ProofFix } from "./fixes.ts";

export const NOBODY = int(0);
export const NOTHING = int(0);
export const LONGEST_WINDOW = int(MAX_DISPUTE_WINDOW);

export const status = (name: Status): Int => int(STATUSES.indexOf(name));
export const releaseType = (name: ReleaseType): Int => int(RELEASE_TYPES.indexOf(name));

const TERMS = [
  "operator",
  "arbiter",
  "deliveryOracle",
  "payee",
  "namedPayer",
  "offRamp",
  "token",
  "amount",
  "fundingDeadline",
  "deliveryPeriod",
  "disputeWindow",
  "timeLockUntil",
  "releaseType",
  "expectedHash",
] as const;
/** An expected hash of zero accepts every proof. */
export type Terms = Record<(typeof TERMS)[number], Int> & { autoReleaseOnProof: Bool };

const NUMBERS = [
  "payer",
  "status",
  "deliveryDeadline",
  "disputeDeadline",
  "statusBefore",
  "released",
  "refunded",
  "settled",
  "withdrawn",
  /** The amount that the payer's account can claim in the order's token. */
  "credit",
  /** The number of partial releases. Guards do not read it, except without fix F6. */
  "milestones",
  /** History: the number of disputes raised, and by which side. Guards do not read it. */
  "disputes",
  "payersDispute",
  "merchantsDispute",
] as const;
const FLAGS = [
  "payerDisputed",
  "merchantDisputed",
  "merchantLatest",
  "proven",
  /** History: whether an independent oracle has stated shipment or delivery. Guards do not read it. */
  "oracleSpoke",
  /** History: whether anyone else has given a valid proof outside a dispute. Guards do not read it. */
  "partyProved",
] as const;
export type Order = Record<(typeof NUMBERS)[number], Int> & Record<(typeof FLAGS)[number], Bool>;

/** Everything that guards read, except the call's arguments. */
export interface Facts {
  order: Order;
  terms: Terms;
  now: Int;
  caller: Int;
  /** The transfer's outcome by the escrow's balance: MOVES, KEEPS or any other value. */
  outcome: Int;
  /** The amount that KEEPS still moves, if it is less than requested. */
  part: Int;
  escrow: Int;
  withoutFix: ProofFix | null;
}

export const MOVES = int(0);
export const KEEPS = int(1);

const variables = <Name extends string, T>(
  names: readonly Name[],
  make: (name: string) => T,
  prefix: string,
) => Object.fromEntries(names.map((name) => [name, make(`${prefix}.${name}`)])) as Record<Name, T>;

/** Returns variables for a call by anyone on any order. */
export function anyFacts(withoutFix: ProofFix | null): Facts {
  return {
    order: { ...variables(NUMBERS, intVariable, "order"), ...variables(FLAGS, boolVariable, "order") },
    terms: {
      ...variables(TERMS, intVariable, "terms"),
      autoReleaseOnProof: boolVariable("terms.autoReleaseOnProof"),
    },
    now: intVariable("now"),
    caller: intVariable("caller"),
    outcome: intVariable("outcome"),
    part: intVariable("part"),
    escrow: intVariable("escrow"),
    withoutFix,
  };
}

export const isOpen = ({ status: at }: Order): Bool =>
  isIn(at, status("Created"), status("Shipped"), status("Delivered"));
export const isDisputed = ({ status: at }: Order): Bool => equals(at, status("Disputed"));
export const hasUnreleasedStatus = (order: Order): Bool => or(isOpen(order), isDisputed(order));
export const isShipped = (at: Int): Bool => isIn(at, status("Shipped"), status("Delivered"));

export const isType = ({ releaseType: type }: Terms, ...names: readonly ReleaseType[]): Bool =>
  isIn(type, ...names.map(releaseType));
/** Whether a valid proof releases the order (DELIVERY_PROOF and AUTO_RELEASE), directly or by a later call. */
export const isReleasedByProof = (terms: Terms): Bool => isType(terms, "DELIVERY_PROOF", "AUTO_RELEASE");
export const releasesOnProof = (terms: Terms): Bool =>
  or(isType(terms, "AUTO_RELEASE"), and(isType(terms, "DELIVERY_PROOF"), terms.autoReleaseOnProof));

/** The amount that is neither released nor refunded. */
export const restOf = ({ order, terms }: Pick<Facts, "order" | "terms">): Int =>
  minus(terms.amount, order.released, order.refunded);
/** The amount that is released but still in the escrow. */
export const dueOf = (order: Order): Int => minus(order.released, order.settled, order.withdrawn);

/**
 * Whether the oracle is not a party of the order. This is the definition (contracts/README.md, "States"), which no fix
 * changes.
 */
export function isThirdParty({ order, terms }: Pick<Facts, "order" | "terms">): Bool {
  const { payee, operator, arbiter, offRamp } = terms;
  return not(isIn(terms.deliveryOracle, NOBODY, payee, order.payer, operator, arbiter, offRamp));
}

/** The contract's check for an independent oracle. */
export function hasIndependentOracle(facts: Facts): Bool {
  if (facts.withoutFix === "F9") return not(equals(facts.terms.deliveryOracle, NOBODY));
  return isThirdParty(facts);
}

/** Whether the lock has expired on an order that was marked as shipped. */
export const isLockOver = ({ order, terms, now }: Facts): Bool =>
  and(isType(terms, "TIME_LOCKED"), isShipped(order.status), isAtMost(terms.timeLockUntil, now));

export const isLate = ({ order, now }: Facts): Bool => isLess(order.deliveryDeadline, now);
