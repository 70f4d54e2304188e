// The invariant on which every law is based.
import { invariant } from "../model/invariant.ts";
import { anyFacts, NOTHING } from "../model/order.ts";
import { fund, OPERATIONS } from "../operations/any-arguments.ts";
import { and, implies, isAtMost } from "../smt/term.ts";
import { isPossible, ofEveryStep, type Part } from "./every-step.ts";

const PART = "0 invariant";

export const induction: Part = (withoutFix) => {
  const facts = anyFacts(withoutFix);
  const step = fund(facts);
  const created = { ...facts, order: step.order };
  const premise = and(isPossible(created), isAtMost(NOTHING, facts.order.credit), step.guard);
  return [
    {
      part: PART,
      name: "a created order has it",
      claim: implies(premise, invariant(created)),
    },
    ...ofEveryStep(
      PART,
      withoutFix,
      (operation) => `${operation} preserves it`,
      ({ before, step: { order } }) => invariant({ ...before, order }),
    ),
    { part: PART, name: "createOrder is possible", claim: premise, possible: true },
    ...Object.entries(OPERATIONS).map(([operation, apply]) => ({
      part: PART,
      name: `${operation} is possible`,
      claim: and(isPossible(facts), invariant(facts), apply(facts).guard),
      possible: true,
    })),
  ];
};
