// The search's view of one settlement's payout: the gateway's rows, the provider's book and the chain, without names
// and times, so that equivalent situations are equal.
import type { PayoutState } from "#core/db/schema/payouts.ts";

/** One attempt as stored in `gateway.payout`. */
export interface Attempt {
  state: PayoutState;
  providerId: string | null;
  account: string | null;
  called: boolean;
  declinedCalls: number;
  spentCall: number | null;
  blocked: boolean;
  refunded: boolean | null;
  retried: boolean;
  external: boolean;
  due: boolean;
  final: boolean;
  /** In percent of the payout's amount: the amount of this attempt, and what earlier providers have kept from it. */
  amount: number;
  deducted: number;
  /** The known fee that the provider has kept, in percent of the payout's amount. */
  fee: number;
}

/**
 * A call as the provider sees it. `in_flight` has not arrived yet and may never arrive. `declined` and `refused` were
 * not executed and never will be. The other values are states of the resulting transfer.
 */
export type CallState =
  | "in_flight"
  | "declined"
  | "refused"
  | "pending"
  | "completed"
  | "failed"
  | "returned";

export interface Call {
  attempt: number;
  number: number;
  state: CallState;
  /** In percent of the payout's amount. */
  amount: number;
  /** Whether the provider has forgotten the call's idempotency key. */
  forgotten: boolean;
  /** Whether the transfer was returned with a reported fee above its amount. */
  overcharged?: boolean;
  /** `requested`: a cancellation may still take effect. `done`: the transfer failed because it was canceled. */
  cancellation?: "requested" | "done";
  /** Whether the provider reports the transfer as canceled, although it is not. */
  falselyCanceled?: true;
}

/** The part of the settlement that a reorg may leave, in percent. */
export const HALF = 50;

/** A fee in percent of a payout's amount, above the full amount. */
export const OVERCHARGE = 120;

export interface Situation {
  attempts: Attempt[];
  calls: Call[];
  /** How much of the settlement is on chain, in percent of the payout's amount. */
  settled: number;
}

export const START: Situation = {
  attempts: [
    {
      ...{
        state: "created",
        providerId: null,
        account: null,
        called: false,
        declinedCalls: 0,
        spentCall: null,
      },
      ...{ blocked: false, refunded: null, retried: false, external: false, due: true, final: false },
      ...{ amount: 100, deducted: 0, fee: 0 },
    },
  ],
  calls: [],
  settled: 100,
};

export const keyOf = ({ attempts, calls, settled }: Situation): string =>
  JSON.stringify([
    attempts,
    [...calls].sort((a, b) => a.attempt - b.attempt || a.number - b.number),
    settled,
  ]);

export const isTransfer = ({ state }: Call): boolean =>
  state === "pending" || state === "completed" || state === "failed" || state === "returned";

/** Whether a transfer has paid the merchant or may still do so. */
const isLive = ({ state }: Call): boolean => state === "pending" || state === "completed";

export const latest = ({ attempts }: Situation): Attempt => {
  const last = attempts.at(-1);
  if (!last) throw new Error("There is no payout.");
  return last;
};

/** Returns why the situation is forbidden; undefined if it is allowed. */
export function wrong(situation: Situation): string | undefined {
  const { attempts, calls } = situation;
  const outside = attempts.filter(({ external }) => external).length;
  const live = calls.filter(isLive).length;
  if (outside + live > 1) return "it is paid twice, or may be";
  if (attempts.filter(({ state }) => state === "completed").length > 1) return "two attempts are completed";
  let funds = 100;
  for (const [index, { state, external, retried, due, amount, deducted }] of attempts.entries()) {
    const own = amount + deducted;
    // Operators close a payout without a payment while the chain covers nothing of it.
    const isClosed = external && amount === 0;
    if (amount < 0 || own > funds || (own !== 100 && own !== HALF && !isClosed))
      return "an attempt and the fees before it are not the payout's amount, nor the part that was settled";
    funds = own;
    if ((state === "failed" || retried) && due) return "an attempt is over, and a worker still polls it";
    const mine = calls.filter((call) => call.attempt === index + 1);
    if (
      state === "completed" &&
      !external &&
      !mine.some((one) => one.state === "completed" || one.state === "returned")
    )
      return "an attempt is completed, and nobody has paid it";
    if ((state === "failed" || state === "returned" || retried) && mine.some(isLive))
      return "an attempt is over, and its transfer is not";
    if (
      (state === "failed" || state === "returned" || retried) &&
      mine.some((one) => one.state === "in_flight")
    )
      return "an attempt is over, and a call of it may still arrive";
  }
  return undefined;
}

/** Whether no work is left: the merchant has received the money once, and the gateway's row is completed. */
export const isEnd = (situation: Situation): boolean => {
  const { state, external } = latest(situation);
  const paid = situation.calls.some((call) => call.state === "completed");
  return state === "completed" && (external || paid);
};
