// The two moves that most operations end in: funds become the payee's, or go back to the payer.
import type { Applied, Context, Event } from "../calls.ts";
import { type Facts, type Order, type Status, unreleased } from "../order.ts";
import type { Address } from "../terms.ts";

/** What an operation gets: the facts that guards read, and the call's own circumstances. */
export interface Funded extends Facts {
  caller: Address;
  refusesReceiver: Context["refusesReceiver"];
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

/** Sends a part to the payer; if the token refuses it, the payer gets a credit. */
export function payBack(
  { refusesReceiver }: Funded,
  order: Order,
  status: Status,
  amount: bigint,
  event: Event,
): Applied {
  const state: Order = { ...order, status, refunded: order.refunded + amount };
  if (amount === 0n) return changed(state, event);
  const part = { to: order.payer, amount };
  if (refusesReceiver?.(order.payer))
    return {
      state: { ...state, credit: state.credit + amount },
      transfers: [],
      credits: [part],
      events: [event],
    };
  return { state, transfers: [part], credits: [], events: [event] };
}

/** Whether this address makes the call itself or has signed it. */
export function speaks(address: Address, caller: Address, signers: readonly Address[] | undefined): boolean {
  return caller === address || (signers?.includes(address) ?? false);
}

/** Math.min for amounts. */
export function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}
