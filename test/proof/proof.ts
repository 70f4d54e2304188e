// Everything that is proven of the order's model, and how one obligation is decided.

import { batches } from "./laws/batch.ts";
import { destinations } from "./laws/destinations.ts";
import { exit } from "./laws/exit.ts";
import { induction } from "./laws/induction.ts";
import { ownRights } from "./laws/own-rights.ts";
import { ownWord } from "./laws/own-word.ts";
import { solvency } from "./laws/solvency.ts";
import { vested } from "./laws/vested.ts";
import type { ProofMend } from "./mends.ts";
import type { Obligation } from "./obligation.ts";
import { refutation } from "./smt/script.ts";
import type { Answer, Solver } from "./smt/solver.ts";
import { not } from "./smt/term.ts";

export function obligationsOfOrders(withoutMend: ProofMend | null): Obligation[] {
  return [induction, solvency, batches, exit, vested, ownWord, ownRights, destinations].flatMap((part) =>
    part(withoutMend),
  );
}

export async function decide(solver: Solver, { claim, possible }: Obligation): Promise<Answer> {
  if (!possible) {
    const { text, variables } = refutation(claim);
    return solver.ask(text, variables);
  }
  const { text } = refutation(not(claim));
  const answer = await solver.ask(text, []);
  if (answer.kind === "proven") return { kind: "contradicted", values: new Map() };
  return answer.kind === "contradicted" ? { kind: "proven" } : answer;
}
