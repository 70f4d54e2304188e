// A provider that does everything that its contract allows: it executes calls late or never, loses responses, forgets
// keys, hides transfers from its list and retracts statements. It never executes one call twice, nor a call that it has
// definitely rejected, because no caller can protect itself against that.
import {
  KeySpent,
  type OffRamp,
  type Transfer,
  TransferDeclined,
  TransferRefused,
} from "#settlement/off-ramp/off-ramp.ts";
import { type Call, type CallState, isTransfer, OVERCHARGE, type Situation } from "./state.ts";

/** How the provider responds to look-ups. */
export type LookUp = "true" | "fails" | "hides" | "other_amount";

/** What the provider does with a new call, and which response the caller receives. */
export type Take =
  | "accepts"
  | "accepts_unheard"
  | "never_gets_it"
  | "gets_it_late"
  | "declines"
  | "declines_unheard"
  | "refuses"
  | "refuses_unheard"
  | "accepts_and_lease_lost"
  /** Violates the provider's contract; the search must find the consequences. */
  | "declines_falsely";

export interface Behaviour {
  lookUp: LookUp;
  take: Take;
  /** What happens to calls in flight while an operator waits for them. */
  flight: "arrives" | "vanishes";
}

/** The provider's record of one payout. */
export interface Desk {
  situation: Situation;
  behaviour: Behaviour;
  /** Takes the lease of the payout from the worker that has claimed it. */
  stealLease(attempt: number): Promise<void>;
  /** Whether an operator waits for calls in flight. */
  operator: boolean;
  /** Set if the gateway makes a call that no provider may receive. */
  offence?: string;
}

const AMOUNT = 100_000_000n;

const unheard = () => new Error("No answer.");

function transferOf(
  reference: string,
  { attempt, number, state, overcharged = false }: Call,
  amount = AMOUNT,
): Transfer {
  const now = new Date();
  const fee = overcharged ? (AMOUNT * BigInt(OVERCHARGE)) / 100n : 0n;
  return {
    ...{ providerId: `transfer_${attempt}_${number}`, reference, amount, fee, currency: "USDC" },
    ...{ state: state as Transfer["state"], createdAt: now, nextPollAt: null },
    completedAt: state === "completed" || state === "returned" ? now : null,
    failure: state === "failed" || state === "returned" ? "refused by the bank" : null,
    ...(state === "failed" || state === "returned" ? { refunded: true } : {}),
  };
}

export const setState = (situation: Situation, call: Call, state: CallState): Situation => ({
  ...situation,
  calls: situation.calls.map((one) => (one === call ? { ...one, state } : one)),
});

const drop = (situation: Situation, call: Call): Situation => ({
  ...situation,
  calls: situation.calls.filter((one) => one !== call),
});

/** Lets a call in flight arrive or vanish. */
export const land = (situation: Situation, call: Call, how: Behaviour["flight"]): Situation =>
  how === "arrives" ? setState(situation, call, "pending") : drop(situation, call);

const TAKEN: Partial<Record<Take, CallState>> = {
  accepts: "pending",
  accepts_unheard: "pending",
  accepts_and_lease_lost: "pending",
  gets_it_late: "in_flight",
  declines_falsely: "in_flight",
  declines: "declined",
  declines_unheard: "declined",
  refuses: "refused",
  refuses_unheard: "refused",
};

/** @param deskOf returns the desk and the attempt of a reference */
export function misbehavingProvider(deskOf: (reference: string) => { desk: Desk; attempt: number }): OffRamp {
  const find = (desk: Desk, attempt: number) =>
    desk.situation.calls.find((call) => call.attempt === attempt && isTransfer(call));

  async function answer(reference: string, desk: Desk, call: Call): Promise<Transfer> {
    const { take } = desk.behaviour;
    if (take.endsWith("_unheard")) throw unheard();
    if (take === "declines_falsely") throw new TransferDeclined("insufficient_balance");
    if (take === "accepts_and_lease_lost") await desk.stealLease(call.attempt);
    switch (call.state) {
      case "in_flight":
        throw unheard();
      case "declined":
        throw new TransferDeclined("insufficient_balance");
      case "refused":
        throw new TransferRefused("invalid account");
      default:
        return transferOf(reference, call);
    }
  }

  return {
    ...{ account: "model", hasWallets: false, atOnce: 1_000, lookUpAfterMs: 0 },
    quote: () => ({ fee: 0n, seconds: 1 }),
    async lookUp(reference) {
      const { desk, attempt } = deskOf(reference);
      if (desk.operator) {
        for (const call of desk.situation.calls) {
          if (call.attempt === attempt && call.state === "in_flight")
            desk.situation = land(desk.situation, call, desk.behaviour.flight);
        }
      }
      const { lookUp } = desk.behaviour;
      if (lookUp === "fails") throw unheard();
      const call = find(desk, attempt);
      if (!call || (lookUp === "hides" && !call.forgotten)) return undefined;
      return transferOf(reference, call, lookUp === "other_amount" ? AMOUNT / 2n : AMOUNT);
    },
    async create({ reference, call: number = 1 }) {
      const { desk, attempt } = deskOf(reference);
      const { situation, behaviour } = desk;
      if (!situation.settled) desk.offence = "a transfer is ordered without its settlement";
      const known = situation.calls.find((call) => call.attempt === attempt && call.number === number);
      if (known?.forgotten && !isTransfer(known)) throw new KeySpent("too old");
      if (known) return answer(reference, desk, known);
      const state = TAKEN[behaviour.take];
      if (!state) throw unheard();
      const made: Call = { attempt, number, state, forgotten: false };
      desk.situation = { ...situation, calls: [...situation.calls, made] };
      return answer(reference, desk, made);
    },
    async cancel(reference) {
      const { desk, attempt } = deskOf(reference);
      const call = find(desk, attempt);
      if (!call) throw new Error("Nobody knows it.");
      if (call.state === "pending") desk.situation = setState(desk.situation, call, "failed");
      return transferOf(reference, find(desk, attempt) ?? call);
    },
    async *transfers() {},
  };
}
