// The two effects in which most operations end: funds become the payee's or go back to the payer.
import { type Applied, type Context, type Event, type Result, refuse } from "../calls.ts";
import { type Facts, type Order, type Status, unreleased } from "../order.ts";
import type { Address } from "../terms.ts";

/** The input of an operation: the facts that guards read, and the context of the call. */
export interface OperationInput extends Facts {
  caller: Address;
  transferTo: Context["transferTo"];
}

export function changed(state: Order, ...events: Event[]): Applied {
  return { state, transfers: [], credits: [], events };
}

/** Releases everything that is not yet released or refunded. */
export function releaseRest({ order, terms }: Facts, actor: Address): Applied {
  const amount = unreleased(order, terms);
  return changed(
    { ...order, status: "AwaitingSettlement", released: order.released + amount },
    { name: "FundsReleased", actor, amount },
  );
}

/**
 * Refunds an amount to the payer. If the token moves nothing, the payer gets a credit; the token's return value is
 * ignored.
 */
export function refundPayer(
  { transferTo }: OperationInput,
  order: Order,
  status: Status,
  amount: bigint,
  event: Event,
): Result {
  const state: Order = { ...order, status, refunded: order.refunded + amount };
  if (amount === 0n) return changed(state, event);
  const part = { to: order.payer, amount };
  const outcome = transferTo?.(order.payer) ?? "moves";
  if (outcome === "movesOtherAmount") return refuse("TransferRefused");
  if (outcome === "keeps")
    return {
      state: { ...state, credit: state.credit + amount },
      transfers: [],
      credits: [part],
      events: [event],
    };
  return { state, transfers: [part], credits: [], events: [event] };
}

/** Whether a transfer to the caller or to the off-ramp succeeds. They get no credit, because they can retry. */
export function isSent({ transferTo }: OperationInput, receiver: Address): boolean {
  return (transferTo?.(receiver) ?? "moves") === "moves";
}

/** Whether this address has signed the call or, without signatures, is its caller. */
export function speaks(address: Address, caller: Address, signers: readonly Address[] | undefined): boolean {
  return signers ? signers.includes(address) : caller === address;
}

/** Math.min for amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
