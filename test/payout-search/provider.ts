// A provider that does everything that its contract allows: it executes calls late or never, loses responses, forgets
// keys, hides transfers from its list and retracts statements. It cancels at once, later or never, regardless of its
// response. It never executes one call twice, nor a call that it has definitely rejected, nor a transfer that it has
// reported as canceled, because no caller can protect itself against that.
import { ApiError } from "#settlement/off-ramp/bridge/api.ts";
import { cancelPending } from "#settlement/off-ramp/bridge/cancel.ts";
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

/** What the provider does with a cancellation, and which response the caller receives. */
export type CancelTake =
  | "cancels"
  | "cancels_unheard"
  | "cancels_and_rejects"
  | "cancels_later"
  | "cancels_later_unheard"
  | "cancels_later_and_rejects"
  | "rejects"
  | "never_gets_it"
  | "pays_first"
  | "fails_first"
  /** Violates the provider's contract; the search must find the consequences. */
  | "cancels_falsely";

/**
 * What happens during a request to the provider: operations cancel the payout before or after the provider has read the
 * transfer's state, or a worker polls while a cancellation waits for its response, and the payout is then retried.
 */
export type Meanwhile = "cancel_before" | "cancel_after" | "poll" | "poll_and_retry";

export interface Behaviour {
  lookUp: LookUp;
  take: Take;
  cancel: CancelTake;
  /** How the provider responds to the look-up after a cancellation. */
  afterwards: LookUp;
  meanwhile?: Meanwhile;
  /** What happens to calls in flight while an operator waits for them. */
  flight: "arrives" | "vanishes";
}

/** The provider's record of one payout. */
export interface Desk {
  situation: Situation;
  behaviour: Behaviour;
  /** Takes the lease of the payout from the worker that has claimed it. */
  stealLease(attempt: number): Promise<void>;
  /** Executes what happens during a request. */
  interleave(what: Meanwhile, attempt: number): Promise<void>;
  /** Whether an operator waits for calls in flight. */
  operator: boolean;
  /** Set if the gateway makes a call that no provider may receive. */
  offence?: string;
}

const AMOUNT = 100_000_000n;
const toUnits = (percent: number): bigint => (AMOUNT * BigInt(percent)) / 100n;
const toPercent = (units: bigint): number => Number((units * 100n) / AMOUNT);

const unheard = () => new Error("No answer.");

function transferOf(
  reference: string,
  { attempt, number, overcharged = false, ...call }: Call,
  amount = toUnits(call.amount),
): Transfer {
  const canceled = call.cancellation === "done" || (call.state === "pending" && call.falselyCanceled);
  const state = canceled ? "failed" : call.state;
  const now = new Date();
  const fee = overcharged ? (AMOUNT * BigInt(OVERCHARGE)) / 100n : 0n;
  return {
    ...{ providerId: `transfer_${attempt}_${number}`, reference, amount, fee, currency: "USDC" },
    ...{ state: state as Transfer["state"], createdAt: now, nextPollAt: null },
    completedAt: state === "completed" || state === "returned" ? now : null,
    failure: state === "failed" || state === "returned" ? "refused by the bank" : null,
    ...(canceled ? { canceled } : {}),
    ...(state === "failed" || state === "returned" ? { refunded: true } : {}),
  };
}

export const setState = (situation: Situation, call: Call, state: CallState): Situation => ({
  ...situation,
  calls: situation.calls.map((one) => {
    if (one !== call) return one;
    // A cancellation has no effect once the transfer has ended.
    const { cancellation: _, ...rest } = one;
    return { ...rest, state };
  }),
});

/** Records that a cancellation is requested or done; undefined: that it was lost. */
export const setCancellation = (
  situation: Situation,
  call: Call,
  cancellation: Call["cancellation"],
): Situation => ({
  ...situation,
  calls: situation.calls.map((one) => {
    if (one !== call) return one;
    const { cancellation: _, ...rest } = one;
    return {
      ...rest,
      ...(cancellation && { cancellation }),
      ...(cancellation === "done" && { state: "failed" as const }),
    };
  }),
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

/** Cancellations that the provider rejects, whether or not they take effect. */
export const REJECTED: ReadonlySet<CancelTake> = new Set([
  ...(["cancels_and_rejects", "cancels_later_and_rejects", "rejects", "pays_first", "fails_first"] as const),
]);

/** @param deskOf returns the desk and the attempt of a reference */
export function misbehavingProvider(deskOf: (reference: string) => { desk: Desk; attempt: number }): OffRamp {
  const find = (desk: Desk, attempt: number) =>
    desk.situation.calls.find((call) => call.attempt === attempt && isTransfer(call));

  function readTransfer(
    desk: Desk,
    reference: string,
    attempt: number,
    how: LookUp = desk.behaviour.lookUp,
  ): Transfer | undefined {
    const call = find(desk, attempt);
    if (!call || (how === "hides" && !call.forgotten)) return undefined;
    const amount = toUnits(call.amount);
    return transferOf(reference, call, how === "other_amount" ? amount / 2n : amount);
  }

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

  /** Runs what happens during a request, unless it has happened already. */
  async function interleave(desk: Desk, attempt: number, when: readonly Meanwhile[]): Promise<void> {
    const { behaviour, operator } = desk;
    const { meanwhile, ...rest } = behaviour;
    if (!meanwhile || !when.includes(meanwhile)) return;
    Object.assign(desk, { behaviour: rest, operator: false });
    await desk.interleave(meanwhile, attempt);
    desk.operator = operator;
  }

  /** @throws ApiError if the provider rejects the cancellation, any other error if no response arrives */
  async function receiveCancel(desk: Desk, attempt: number): Promise<void> {
    const call = find(desk, attempt);
    if (call?.state !== "pending") throw new ApiError(409, undefined, undefined);
    const { cancel } = desk.behaviour;
    const set = (situation: Situation) => {
      desk.situation = situation;
    };
    if (cancel.startsWith("cancels_later")) set(setCancellation(desk.situation, call, "requested"));
    else if (cancel === "cancels_falsely") {
      const calls = desk.situation.calls.map((one) =>
        one === call ? { ...one, falselyCanceled: true as const } : one,
      );
      set({ ...desk.situation, calls });
    } else if (cancel.startsWith("cancels")) set(setCancellation(desk.situation, call, "done"));
    else if (cancel === "pays_first") set(setState(desk.situation, call, "completed"));
    else if (cancel === "fails_first") set(setState(desk.situation, call, "failed"));
    await interleave(desk, attempt, ["poll", "poll_and_retry"]);
    if (cancel === "never_gets_it" || cancel.endsWith("_unheard")) throw unheard();
    if (REJECTED.has(cancel)) throw new ApiError(400, "cannot_be_canceled", undefined);
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
      await interleave(desk, attempt, ["cancel_before"]);
      const read = readTransfer(desk, reference, attempt);
      await interleave(desk, attempt, ["cancel_after"]);
      if (desk.behaviour.lookUp === "fails") throw unheard();
      return read;
    },
    async create({ reference, call: number = 1, amount: units }) {
      const { desk, attempt } = deskOf(reference);
      const { situation, behaviour } = desk;
      const amount = toPercent(units);
      if (amount > situation.settled) desk.offence = "a transfer is ordered for more than is settled";
      const known = situation.calls.find((call) => call.attempt === attempt && call.number === number);
      if (known && known.amount !== amount) desk.offence = "a call is repeated with a different amount";
      if (known?.forgotten && !isTransfer(known)) throw new KeySpent("too old");
      if (known) return answer(reference, desk, known);
      const state = TAKEN[behaviour.take];
      if (!state) throw unheard();
      const made: Call = { attempt, number, state, amount, forgotten: false };
      desk.situation = { ...situation, calls: [...situation.calls, made] };
      return answer(reference, desk, made);
    },
    async cancel(reference) {
      const { desk, attempt } = deskOf(reference);
      const lookUp = async (how: LookUp) => {
        if (how === "fails") throw unheard();
        return readTransfer(desk, reference, attempt, how);
      };
      return cancelPending(
        await lookUp(desk.behaviour.lookUp),
        () => receiveCancel(desk, attempt),
        () => lookUp(desk.behaviour.afterwards),
      );
    },
    async *transfers() {},
  };
}
