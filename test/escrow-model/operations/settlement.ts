// How funds leave the escrow: settle to the off-ramp, withdraw to the payee, and claimCredit to the credited payer.
import { type Result, refuse } from "../calls.ts";
import { due, type Status } from "../order.ts";
import { isSent, type OperationInput } from "./moves.ts";

/** Caller: the operator. Sends released, unsettled funds to the off-ramp, unless the payee has already withdrawn. */
export function settle(facts: OperationInput): Result {
  const { order, terms, caller } = facts;
  if (caller !== terms.operator) return refuse("CallerNotAllowed");
  if (order.withdrawn > 0n) return refuse("AlreadyWithdrawn");
  const amount = due(order);
  if (amount === 0n) return refuse("NothingReleased");
  if (!isSent(facts, terms.offRamp)) return refuse("TransferRefused");
  return {
    state: { ...order, status: afterPayout(order.status), settled: order.settled + amount },
    transfers: [{ to: terms.offRamp, amount }],
    credits: [],
    events: [{ name: "OrderSettled", amount }],
  };
}

/** Caller: the payee. Sends the same amount to the payee. */
export function withdraw(facts: OperationInput): Result {
  const { order, terms, caller } = facts;
  if (caller !== terms.payee) return refuse("CallerNotAllowed");
  const amount = due(order);
  if (amount === 0n) return refuse("NothingReleased");
  if (!isSent(facts, terms.payee)) return refuse("TransferRefused");
  return {
    state: { ...order, status: afterPayout(order.status), withdrawn: order.withdrawn + amount },
    transfers: [{ to: terms.payee, amount }],
    credits: [],
    events: [{ name: "OrderWithdrawn", amount }],
  };
}

export function claimCredit(facts: OperationInput): Result {
  const { order, caller } = facts;
  if (caller !== order.payer || order.credit === 0n) return refuse("NoCredit");
  if (!isSent(facts, order.payer)) return refuse("TransferRefused");
  return {
    state: { ...order, credit: 0n },
    transfers: [{ to: order.payer, amount: order.credit }],
    credits: [],
    events: [],
  };
}

function afterPayout(status: Status): Status {
  return status === "AwaitingSettlement" ? "Completed" : status;
}
