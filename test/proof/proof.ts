// All proof obligations, and the decision of each one.
import { batches } from "./laws/batch.ts";
import { destinations } from "./laws/destinations.ts";
import { exit } from "./laws/exit.ts";
import { induction } from "./laws/induction.ts";
import { ownRights } from "./laws/own-rights.ts";
import { ownWord } from "./laws/own-word.ts";
import { solvency } from "./laws/solvency.ts";
import { vested } from "./laws/vested.ts";
import type { ProofFix } from "./model/fixes.ts";
import type { Obligation } from "./smt/obligation.ts";
import { satisfaction } from "./smt/script.ts";
import type { Solver } from "./smt/solver.ts";
import { not } from "./smt/term.ts";
import { helpers } from "./solidity/helpers.ts";
import { packing } from "./solidity/packing.ts";
import { readSource, type Source } from "./solidity/source.ts";

export function obligations(): Obligation[] {
  return [...obligationsOfOrders(null), ...obligationsOfSource(readSource())];
}

export function obligationsOfSource(source: Source): Obligation[] {
  return [...packing(source), ...helpers(source)];
}

export function obligationsOfOrders(withoutFix: ProofFix | null): Obligation[] {
  return [induction, solvency, batches, exit, vested, ownWord, ownRights, destinations].flatMap((part) =>
    part(withoutFix),
  );
}

export type Verdict =
  | { kind: "proven" }
  /** The values of a counterexample. They are empty if a required case is unsatisfiable. */
  | { kind: "contradicted"; values: ReadonlyMap<string, string> }
  | { kind: "unknown"; reason: string };

export async function decide(solver: Solver, { claim, possible }: Obligation): Promise<Verdict> {
  const answer = await solver.ask(satisfaction(possible ? claim : not(claim)));
  if (answer.kind === "unknown") return answer;
  if ((answer.kind === "possible") === (possible === true)) return { kind: "proven" };
  return { kind: "contradicted", values: answer.kind === "possible" ? answer.values : new Map() };
}
