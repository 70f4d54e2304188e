// A proof obligation: a claim that holds for every value of its variables.

import type { ProofFix } from "./fixes.ts";
import { invariant } from "./invariant.ts";
import type { Step } from "./operations/step.ts";
import { OPERATIONS, type Operation } from "./operations.ts";
import { anyFacts, type Facts, NOBODY } from "./order.ts";
import { and, type Bool, equals, implies, isLess, not, or } from "./smt/term.ts";

export interface Obligation {
  /** The law, or the basis of the laws. */
  part: string;
  name: string;
  claim: Bool;
  /** Whether the claim must be satisfiable instead of valid, because an unsatisfiable premise proves nothing. */
  possible?: boolean;
}

/** The obligations of a part of the proof, for a model from which one fix may be removed. */
export type Part = (withoutFix: ProofFix | null) => Obligation[];

/** The state before a call, and the call itself. */
export interface Change {
  operation: Operation;
  before: Facts;
  step: Step;
}

/** True of every call: nobody is the zero address, and the escrow neither calls itself nor signs. */
export function isPossible({ order, caller, escrow }: Facts): Bool {
  return and(
    not(equals(caller, NOBODY)),
    not(equals(escrow, NOBODY)),
    not(equals(caller, escrow)),
    not(equals(order.payer, escrow)),
  );
}

/** One obligation per operation: if the order satisfied the invariant and the call was accepted, this holds. */
export function ofEveryStep(
  part: string,
  withoutFix: ProofFix | null,
  name: (operation: Operation) => string,
  conclusion: (change: Change) => Bool,
  operations: readonly Operation[] = Object.keys(OPERATIONS) as Operation[],
): Obligation[] {
  return operations.map((operation) => {
    const before = anyFacts(withoutFix);
    const step = OPERATIONS[operation](before);
    const premise = and(isPossible(before), invariant(before), step.guard);
    const claim = implies(premise, conclusion({ operation, before, step }));
    return { part, name: name(operation), claim };
  });
}

/** Whether the address's owner makes the call, or has signed it. */
export function acts(address: Facts["caller"], { before, step }: Change): Bool {
  const signed = step.signatures.map(({ by, given }) => and(equals(by, address), given));
  return or(equals(before.caller, address), ...signed);
}

export const grew = (before: Facts["now"], after: Facts["now"]): Bool => isLess(before, after);
