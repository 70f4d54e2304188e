// The two moves that most operations end in: funds become the payee's, or go back to the payer.
import { type Applied, type Context, type Event, type Result, refuse } from "../calls.ts";
import { type Facts, type Order, type Status, unreleased } from "../order.ts";
import type { Address } from "../terms.ts";

/** The input of an operation: the facts that guards read, and the call's context. */
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

/** Sends a part to the payer. If the token moves nothing, the payer gets a credit; its return value does not matter. */
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

/** Whether the escrow sends to its caller or the off-ramp, which get no credit, because they can retry. */
export function isSent({ transferTo }: OperationInput, receiver: Address): boolean {
  return (transferTo?.(receiver) ?? "moves") === "moves";
}

/** Whether this address has signed the call or, if it has no signature, makes it. */
export function speaks(address: Address, caller: Address, signers: readonly Address[] | undefined): boolean {
  return signers ? signers.includes(address) : caller === address;
}

/** Math.min for amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
