// The obligations that hold for every call, and the definitions that the proofs of the laws share.
import type { ProofFix } from "../model/fixes.ts";
import { invariant } from "../model/invariant.ts";
import { anyFacts, type Facts, NOBODY } from "../model/order.ts";
import { OPERATIONS, type Operation } from "../operations/any-arguments.ts";
import type { Step } from "../operations/step.ts";
import type { Obligation } from "../smt/obligation.ts";
import { and, type Bool, equals, implies, isLess, not, or } from "../smt/term.ts";

/** Returns the obligations of a part of the proof, for a model from which one fix may be removed. */
export type Part = (withoutFix: ProofFix | null) => Obligation[];

/** The state before a call, and the call itself. */
export interface Change {
  operation: Operation;
  before: Facts;
  step: Step;
}

/** Constraints of every call: nobody is the zero address, and the escrow neither calls itself nor signs. */
export function isPossible({ order, caller, escrow }: Facts): Bool {
  return and(
    not(equals(caller, NOBODY)),
    not(equals(escrow, NOBODY)),
    not(equals(caller, escrow)),
    not(equals(order.payer, escrow)),
  );
}

/**
 * Returns one obligation per operation: if the order satisfied the invariant and the call was accepted, the conclusion
 * holds.
 */
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

/** Whether the address's owner makes the call or has signed it. */
export function acts(address: Facts["caller"], { before, step }: Change): Bool {
  const signed = step.signatures.map(({ by, given }) => and(equals(by, address), given));
  return or(equals(before.caller, address), ...signed);
}

export const grew = (before: Facts["now"], after: Facts["now"]): Bool => isLess(before, after);
