// Everything that can happen to a payout: moves by the worker, the provider, the chain, the merchant and operators.
import type { FeeBearer } from "#core/payouts/try-again.ts";
import type { Behaviour, CancelTake, LookUp, Meanwhile, Take } from "./provider.ts";
import { land, setCancellation, setState } from "./provider.ts";
import { HALF, isTransfer, latest, type Situation } from "./state.ts";

export type OpsCommand =
  | "retry"
  | "fail"
  | "settle-externally"
  | "reorder"
  | "confirm-debit"
  | "cancel"
  | "refresh";

/** `world` moves are changes that the gateway does not make. The others run the gateway's own code. */
export type Move = { name: string; helpful: boolean } & (
  | { kind: "world"; to: Situation }
  | { kind: "worker"; behaviour: Behaviour }
  | { kind: "ops"; command: OpsCommand; behaviour: Behaviour; bearer: FeeBearer }
);

export interface Bounds {
  attempts: number;
  calls: number;
  /**
   * `lies`: the provider hides transfers, reports other amounts and forgets keys. `reorgs`: the chain loses the
   * settlement, or half of it.
   */
  lies: boolean;
  reorgs: boolean;
  /** Whether operators pay manually only after the last attempt. */
  manualLast?: boolean;
  /** Who bears the provider's fee for a returned payout. The reported fee exceeds the payout's amount. */
  overcharged?: FeeBearer;
  /** Whether the provider executes calls that it has definitely rejected, or transfers that it reports as canceled. */
  perjury?: "declines" | "cancels";
  /** Whether cancellations end in every way, and at the same time as other requests. If not, they take effect at once. */
  cancels: boolean;
}

const TAKES: readonly Take[] = [
  ...(["accepts", "accepts_unheard", "accepts_and_lease_lost", "never_gets_it", "gets_it_late"] as const),
  ...(["declines", "declines_unheard", "refuses", "refuses_unheard"] as const),
];
const HONEST: Behaviour = {
  ...{ lookUp: "true", take: "accepts", flight: "arrives" },
  ...{ cancel: "cancels", afterwards: "true" },
};
/** Whether the provider responds truthfully and does what is asked, and nothing else happens at the same time. */
const isHonest = ({ lookUp, cancel, afterwards, meanwhile }: Behaviour): boolean =>
  lookUp === "true" && cancel === "cancels" && afterwards === "true" && meanwhile === undefined;

const CANCELS: readonly CancelTake[] = [
  ...(["cancels_later_unheard", "rejects", "fails_first"] as const),
  ...(["cancels_unheard", "cancels_and_rejects", "cancels_later", "cancels_later_and_rejects"] as const),
  ...(["never_gets_it", "pays_first"] as const),
];

function* worldMoves(situation: Situation, { lies, reorgs, overcharged }: Bounds): Generator<Move> {
  const world = (name: string, to: Situation, helpful = false): Move => ({
    kind: "world",
    name,
    to,
    helpful,
  });
  for (const call of situation.calls) {
    const named = `call ${call.attempt}.${call.number}`;
    if (call.state === "in_flight") {
      yield world(`${named} arrives`, land(situation, call, "arrives"), true);
      yield world(`${named} never arrives`, land(situation, call, "vanishes"), true);
    }
    if (call.state === "pending") {
      yield world(`the bank pays ${named}`, setState(situation, call, "completed"), true);
      yield world(`the bank refuses ${named}`, setState(situation, call, "failed"));
    }
    if (call.cancellation === "requested") {
      yield world(
        `the cancellation of ${named} takes effect`,
        setCancellation(situation, call, "done"),
        true,
      );
      yield world(`the cancellation of ${named} is lost`, setCancellation(situation, call, undefined));
    }
    if (call.state === "completed") {
      yield world(`${named} comes back`, setState(situation, call, "returned"));
      if (overcharged) {
        const back = { ...call, state: "returned" as const, overcharged: true };
        const calls = situation.calls.map((one) => (one === call ? back : one));
        yield world(`${named} comes back, for more than it was`, { ...situation, calls });
      }
    }
    if (call.overcharged) {
      const calls = situation.calls.map((one) => (one === call ? { ...call, overcharged: false } : one));
      yield world(`the fee of ${named} was a mistake`, { ...situation, calls });
    }
  }
  if (lies && situation.calls.some(({ forgotten, state }) => !forgotten && state !== "in_flight")) {
    const calls = situation.calls.map((call) => ({ ...call, forgotten: call.state !== "in_flight" }));
    yield world("the provider forgets its keys", { ...situation, calls });
  }
  if (reorgs) {
    const { settled } = situation;
    if (settled === 0) yield world("the settlement is mined again", { ...situation, settled: 100 }, true);
    else yield world("a reorg takes the settlement", { ...situation, settled: 0 });
    if (settled === HALF) yield world("the rest is mined again", { ...situation, settled: 100 });
    if (settled === 100) yield world("a reorg takes half of the settlement", { ...situation, settled: HALF });
  }
}

function* workerMoves(situation: Situation, { calls, lies, perjury, cancels }: Bounds): Generator<Move> {
  const attempt = situation.attempts.length;
  const last = latest(situation);
  if (!last.due) return;
  const mine = situation.calls.filter((call) => call.attempt === attempt);
  const known = mine.some(isTransfer);
  const worker = (lookUp: LookUp, take: Take): Move => ({
    kind: "worker",
    name: `the worker polls: look-up ${lookUp}${known ? "" : `, call ${take}`}`,
    helpful: lookUp === "true" && take === "accepts",
    behaviour: { ...HONEST, lookUp, take },
  });
  // A call with a known key is not decided again; the only open question is whether its response arrives.
  const next = mine.find(({ number }) => number === last.declinedCalls + 1);
  const takes: readonly Take[] = next ? ["accepts", "accepts_unheard", "accepts_and_lease_lost"] : TAKES;
  const mayDecline = last.declinedCalls + 1 < calls;
  for (const take of known && !lies ? (["accepts"] as const) : takes) {
    if (!mayDecline && take.startsWith("declines")) continue;
    if (!known) yield worker("true", take);
    if (known && lies) yield worker("hides", take);
  }
  if (known) yield worker("true", "accepts");
  if (perjury === "declines" && mayDecline && !next) yield worker("true", "declines_falsely");
  yield worker("fails", "accepts");
  if (known && lies) yield worker("other_amount", "accepts");
  if (last.state !== "submitted" || !cancels) return;
  for (const meanwhile of ["cancel_before", "cancel_after"] as const) {
    const polls = worker("true", "accepts");
    const behaviour = { ...HONEST, meanwhile };
    yield { ...polls, name: `${polls.name}, and operations ${meanwhile} its answer`, behaviour } as Move;
  }
}

/** Describes the parts of an operator's command that differ from an honest provider's. */
function describeBehaviour({ lookUp, flight, cancel, afterwards, meanwhile }: Behaviour): string {
  const parts = [
    lookUp === "true" ? [] : [`look-up ${lookUp}`],
    flight === "vanishes" ? ["nothing arrives"] : [],
    cancel === "cancels" ? [] : [`the provider ${cancel}`],
    afterwards === "true" ? [] : [`look-up afterwards ${afterwards}`],
    meanwhile ? [`meanwhile ${meanwhile}`] : [],
  ];
  return parts.flatMap((some) => some.map((part) => `, ${part}`)).join("");
}

/** What the provider does with a cancellation, and what happens meanwhile. */
function* cancellations(
  situation: Situation,
  { attempts, lies, perjury, cancels }: Bounds,
): Generator<Partial<Behaviour>> {
  yield {};
  const { state } = latest(situation);
  const attempt = situation.attempts.length;
  const known = situation.calls.find((call) => call.attempt === attempt && isTransfer(call));
  if (state !== "submitted" || !known) return;
  yield { lookUp: "fails" };
  if (lies) yield* [{ lookUp: "hides" }, { lookUp: "other_amount" }] as const;
  if (known.state !== "pending") return;
  if (perjury === "cancels") yield { cancel: "cancels_falsely" };
  if (!cancels) return;
  for (const cancel of CANCELS) yield { cancel };
  for (const cancel of ["cancels", "rejects", "cancels_later"] as const) {
    yield { cancel, afterwards: "fails" };
    if (lies) yield { cancel, afterwards: "hides" };
  }
  const during: Meanwhile[] = attempt < attempts ? ["poll", "poll_and_retry"] : ["poll"];
  for (const meanwhile of during)
    for (const cancel of ["cancels", "cancels_unheard", "fails_first", "pays_first"] as const)
      yield { cancel, meanwhile };
}

function* opsMoves(situation: Situation, bounds: Bounds): Generator<Move> {
  const { attempts, calls, lies, overcharged, cancels, manualLast = false } = bounds;
  const ops = (command: OpsCommand, behaviour: Behaviour = HONEST): Move => ({
    ...{
      kind: "ops",
      command,
      behaviour,
      helpful: isHonest(behaviour),
      bearer: overcharged ?? "merchant",
    },
    name: `ops ${command}${describeBehaviour(behaviour)}`,
  });
  if (latest(situation).external) return;
  if (situation.attempts.length < attempts) yield ops("retry");
  const inFlight = situation.calls.some(({ state }) => state === "in_flight");
  const isManual = !manualLast || situation.attempts.length === attempts;
  for (const command of isManual ? (["fail", "settle-externally"] as const) : (["fail"] as const)) {
    yield ops(command);
    yield ops(command, { ...HONEST, lookUp: "fails" });
    if (inFlight) yield ops(command, { ...HONEST, flight: "vanishes" });
    if (latest(situation).state !== "submitted" || !cancels) continue;
    for (const meanwhile of ["cancel_before", "cancel_after"] as const)
      yield ops(command, { ...HONEST, meanwhile });
  }
  const { spentCall } = latest(situation);
  // Operators vouch that the spent call can no longer execute, because they have asked the provider.
  if (!inFlight && spentCall !== null && spentCall < calls) yield ops("reorder");
  for (const behaviour of cancellations(situation, bounds)) yield ops("cancel", { ...HONEST, ...behaviour });
  if (latest(situation).state === "submitted") {
    yield ops("confirm-debit");
    yield ops("confirm-debit", { ...HONEST, lookUp: "fails" });
    if (lies) yield ops("confirm-debit", { ...HONEST, lookUp: "hides" });
  }
  if (latest(situation).state === "returned") yield ops("refresh");
}

export function* movesFrom(situation: Situation, bounds: Bounds): Generator<Move> {
  yield* worldMoves(situation, bounds);
  yield* workerMoves(situation, bounds);
  yield* opsMoves(situation, bounds);
}
