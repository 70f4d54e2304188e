// A call in the model: its guard and its result.
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
  /** The amount that the token is asked to move. Zero means that the token is not called. */
  asked: Int;
  /** The amount that the token moved, if the call is accepted. */
  sent: { to: Int; amount: Int };
  /** The submitted signatures: the required signer of each, and whether that signer has signed. */
  signatures: readonly { by: Int; given: Bool }[];
}

/** Returns the result of a call that moves no tokens. */
export function change(facts: Facts, guard: Bool, changes: Partial<Order>): Step {
  const sent = { to: facts.order.payer, amount: NOTHING };
  return { guard, order: { ...facts.order, ...changes }, asked: NOTHING, sent, signatures: [] };
}

/** Releases the remainder to the payee. */
export function releaseRest(facts: Facts): Pick<Order, "status" | "released"> {
  return { status: status("AwaitingSettlement"), released: plus(facts.order.released, restOf(facts)) };
}

/** Returns an amount to the payer. The part that the token does not move becomes a credit. */
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

/** Sends funds to the caller or the off-ramp. If the transfer fails, the call is rejected. */
export function send(facts: Facts, guard: Bool, changes: Partial<Order>, to: Int, amount: Int): Step {
  const { outcome } = facts;
  return {
    ...change(facts, and(guard, equals(outcome, MOVES)), changes),
    asked: amount,
    sent: { to, amount },
  };
}

/** Whether this address has signed the call or, without a signature, is its caller. */
export function speaks(address: Int, caller: Int, bySignature: Bool, signed: Bool): Bool {
  return or(and(bySignature, signed), and(not(bySignature), equals(caller, address)));
}
