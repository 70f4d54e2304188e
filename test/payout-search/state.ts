// The search's view of one settlement's payout: the gateway's rows, the provider's book and the chain, without names
// and times, so that equal situations are one state.
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
  /** Of the payout's amount, in percent: what it is over, and what earlier providers have kept and it is less by. */
  amount: number;
  deducted: number;
  /** What the provider is known to have kept of it, in percent of the payout's amount. */
  fee: number;
}

/**
 * A call as the provider sees it. `in_flight`: it has not arrived yet, and may never. `declined`, `refused`: it was not
 * executed and never will be. The others are the states of the resulting transfer.
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
  /** The provider no longer responds to its idempotency key. */
  forgotten: boolean;
  /** It came back, and the provider reports to have kept more than it was over. */
  overcharged?: boolean;
}

/** Percent of a payout's amount: more than there is to keep. */
export const OVERCHARGE = 120;

export interface Situation {
  attempts: Attempt[];
  calls: Call[];
  /** Whether the settlement is on the chain. */
  settled: boolean;
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
  settled: true,
};

export const keyOf = ({ attempts, calls, settled }: Situation): string =>
  JSON.stringify([
    attempts,
    [...calls].sort((a, b) => a.attempt - b.attempt || a.number - b.number),
    settled,
  ]);

export const isTransfer = ({ state }: Call): boolean =>
  state === "pending" || state === "completed" || state === "failed" || state === "returned";

/** A transfer that has paid the merchant, or may do so. */
const isLive = ({ state }: Call): boolean => state === "pending" || state === "completed";

export const latest = ({ attempts }: Situation): Attempt => {
  const last = attempts.at(-1);
  if (!last) throw new Error("There is no payout.");
  return last;
};

/** Why this is forbidden; undefined if it is allowed. */
export function wrong(situation: Situation): string | undefined {
  const { attempts, calls } = situation;
  const outside = attempts.filter(({ external }) => external).length;
  const live = calls.filter(isLive).length;
  if (outside + live > 1) return "it is paid twice, or may be";
  if (attempts.filter(({ state }) => state === "completed").length > 1) return "two attempts are completed";
  for (const [index, { state, external, retried, amount, deducted }] of attempts.entries()) {
    if (amount < 0 || amount + deducted !== 100)
      return "an attempt and the fees before it are not the payout's amount";
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

/** Nothing is left to be done: the merchant has the money once, and the ledger says so. */
export const isEnd = (situation: Situation): boolean => {
  const { state, external } = latest(situation);
  const paid = situation.calls.some((call) => call.state === "completed");
  return state === "completed" && (external || paid);
};
