// A call in the model: when it is possible, and its result.
import { type Facts, KEEPS, MOVES, NOTHING, type Order, restOf, status } from "../model/order.ts";
import {
  and,
  type Bool,
  equals,
  type Int,
  isAtMost,
  isIn,
  isLess,
  minus,
  not,
  or,
  plus,
  when,
} from "../smt/term.ts";

export interface Step {
  /** Whether the call is accepted. */
  guard: Bool;
  order: Order;
  /** The amount that the token is asked to move; zero: the token is not called. */
  asked: Int;
  /** The amount that the token moved, if the call is accepted. */
  sent: { to: Int; amount: Int };
  /** The submitted signatures: whose each has to be, and whether it is. */
  signatures: readonly { by: Int; given: Bool }[];
}

/** A call that moves no tokens. */
export function change(facts: Facts, guard: Bool, changes: Partial<Order>): Step {
  const sent = { to: facts.order.payer, amount: NOTHING };
  return { guard, order: { ...facts.order, ...changes }, asked: NOTHING, sent, signatures: [] };
}

/** The rest becomes the payee's. */
export function releaseRest(facts: Facts): Pick<Order, "status" | "released"> {
  return { status: status("AwaitingSettlement"), released: plus(facts.order.released, restOf(facts)) };
}

/** A part is returned to the payer; what the token does not move becomes a credit. */
export function refundPayer(facts: Facts, guard: Bool, changes: Partial<Order>, amount: Int): Step {
  const { order, outcome, part } = facts;
  const sound = or(equals(amount, NOTHING), isIn(outcome, MOVES, KEEPS));
  const isPart = and(isAtMost(NOTHING, part), isLess(part, amount));
  const moved = when(equals(outcome, MOVES), amount, when(isPart, part, NOTHING));
  const credit = plus(order.credit, when(equals(outcome, KEEPS), minus(amount, moved), NOTHING));
  return {
    ...change(facts, and(guard, sound), { ...changes, refunded: plus(order.refunded, amount), credit }),
    asked: amount,
    sent: { to: order.payer, amount: when(isIn(outcome, MOVES, KEEPS), moved, NOTHING) },
  };
}

/** Funds are sent to the caller's or the off-ramp's address, or the call is rejected. */
export function send(facts: Facts, guard: Bool, changes: Partial<Order>, to: Int, amount: Int): Step {
  const { outcome } = facts;
  return {
    ...change(facts, and(guard, equals(outcome, MOVES)), changes),
    asked: amount,
    sent: { to, amount },
  };
}

/** Whether this address makes the call or, if the call has a signature, has signed it. */
export function speaks(address: Int, caller: Int, bySignature: Bool, signed: Bool): Bool {
  return or(and(bySignature, signed), and(not(bySignature), equals(caller, address)));
}
