// Everything that can happen to a payout: moves by the worker, the provider, the chain, the merchant and operators.
import type { FeeBearer } from "#core/payouts/try-again.ts";
import type { Behaviour, LookUp, Take } from "./provider.ts";
import { land, setState } from "./provider.ts";
import { isTransfer, latest, type Situation } from "./state.ts";

export type OpsCommand = "retry" | "fail" | "settle-externally" | "reorder" | "cancel" | "refresh";

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
   * settlement.
   */
  lies: boolean;
  reorgs: boolean;
  /** Who bears the provider's fee for a returned payout. The reported fee exceeds the payout's amount. */
  overcharged?: FeeBearer;
  /** Whether the provider executes calls that it has definitely rejected. */
  perjury?: boolean;
}

const TAKES: readonly Take[] = [
  ...(["accepts", "accepts_unheard", "accepts_and_lease_lost", "never_gets_it", "gets_it_late"] as const),
  ...(["declines", "declines_unheard", "refuses", "refuses_unheard"] as const),
];
const HONEST: Behaviour = { lookUp: "true", take: "accepts", flight: "arrives" };

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
    const name = situation.settled ? "a reorg takes the settlement" : "the settlement is mined again";
    yield world(name, { ...situation, settled: !situation.settled }, !situation.settled);
  }
}

function* workerMoves(situation: Situation, { calls, lies, perjury = false }: Bounds): Generator<Move> {
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
  if (perjury && mayDecline && !next) yield worker("true", "declines_falsely");
  yield worker("fails", "accepts");
  if (known && lies) yield worker("other_amount", "accepts");
}

function* opsMoves(situation: Situation, { attempts, calls, overcharged }: Bounds): Generator<Move> {
  const ops = (command: OpsCommand, behaviour: Behaviour = HONEST): Move => ({
    ...{
      kind: "ops",
      command,
      behaviour,
      helpful: behaviour.lookUp === "true",
      bearer: overcharged ?? "merchant",
    },
    name: `ops ${command}${behaviour.lookUp === "fails" ? ", unanswered" : ""}${behaviour.flight === "vanishes" ? ", nothing arrives" : ""}`,
  });
  if (latest(situation).external) return;
  if (situation.attempts.length < attempts) yield ops("retry");
  const inFlight = situation.calls.some(({ state }) => state === "in_flight");
  for (const command of ["fail", "settle-externally"] as const) {
    yield ops(command);
    yield ops(command, { ...HONEST, lookUp: "fails" });
    if (inFlight) yield ops(command, { ...HONEST, flight: "vanishes" });
  }
  const { spentCall } = latest(situation);
  // Operators vouch that the spent call can no longer execute, because they have asked the provider.
  if (!inFlight && spentCall !== null && spentCall < calls) yield ops("reorder");
  yield ops("cancel");
  if (latest(situation).state === "returned") yield ops("refresh");
}

export function* movesFrom(situation: Situation, bounds: Bounds): Generator<Move> {
  yield* worldMoves(situation, bounds);
  yield* workerMoves(situation, bounds);
  yield* opsMoves(situation, bounds);
}
