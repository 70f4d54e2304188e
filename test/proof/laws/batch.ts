// Law 1 for a batch of any length, by induction over its orders: a transfer requests exactly the amount by which its
// token's debts decrease, and every settled order has this token and this off-ramp.
import { invariant } from "../model/invariant.ts";
import { anyFacts, dueOf, type Facts, MOVES, NOTHING } from "../model/order.ts";
import { settle } from "../operations/settlement.ts";
import type { Obligation } from "../smt/obligation.ts";
import {
  and,
  type Bool,
  equals,
  type Int,
  implies,
  int,
  intVariable,
  isAtMost,
  isLess,
  minus,
  not,
  or,
  plus,
  when,
} from "../smt/term.ts";
import { isPossible, type Part } from "./every-step.ts";
import { owedOf } from "./solvency.ts";

const PART = "1 solvency";

interface Batch {
  token: Int;
  offRamp: Int;
  /** The amount that the final transfer will request. */
  total: Int;
  /** The decrease of the debts in the batch's token, and in any one other token. */
  fell: Int;
  fellElsewhere: Int;
}

const anyBatch = (): Batch => ({
  token: intVariable("batch.token"),
  offRamp: intVariable("batch.offRamp"),
  total: intVariable("batch.total"),
  fell: intVariable("batch.fell"),
  fellElsewhere: intVariable("batch.fellElsewhere"),
});

const isSound = ({ total, fell, fellElsewhere }: Batch): Bool =>
  and(isAtMost(NOTHING, total), equals(fell, total), equals(fellElsewhere, NOTHING));

/** Processes one order of the batch, which is either settled, or skipped and reported. */
function next(batch: Batch, facts: Facts) {
  const { terms, order } = facts;
  // The transfer comes last, so there is no outcome yet.
  const step = settle({ ...facts, outcome: MOVES });
  const fits = or(
    equals(batch.total, NOTHING),
    and(equals(terms.token, batch.token), equals(terms.offRamp, batch.offRamp)),
  );
  const taken = and(step.guard, fits);
  const fall = minus(owedOf(terms, order), owedOf(terms, step.order));
  const after: Batch = {
    token: when(taken, terms.token, batch.token),
    offRamp: when(taken, terms.offRamp, batch.offRamp),
    total: plus(batch.total, when(taken, dueOf(order), NOTHING)),
    // While the batch's token is not fixed, the batch has settled nothing.
    fell: plus(batch.fell, when(taken, fall, NOTHING)),
    fellElsewhere: plus(
      batch.fellElsewhere,
      when(and(taken, isLess(NOTHING, batch.total), not(equals(terms.token, batch.token))), fall, NOTHING),
    ),
  };
  return { taken, after };
}

export const batches: Part = (withoutFix) => {
  const facts = anyFacts(withoutFix);
  const batch = anyBatch();
  const { taken, after } = next(batch, facts);
  const premise = and(isPossible(facts), invariant(facts), isSound(batch));
  const obligation = (name: string, claim: Bool): Obligation => ({
    part: PART,
    name: `batch: ${name}`,
    claim,
  });
  const [held, holds] = [intVariable("balance before"), intVariable("balance after")];
  const word = int(1n << 256n);
  const sent = when(isAtMost(holds, held), minus(held, holds), plus(minus(held, holds), word));
  const measured = and(
    ...[held, holds].map((balance) => and(isAtMost(NOTHING, balance), isLess(balance, word))),
    withoutFix === "F13" ? isAtMost(NOTHING, sent) : equals(sent, batch.total),
  );
  const owed = intVariable("owed in the token");
  return [
    obligation(
      "an empty one asks for nothing",
      isSound({ ...batch, total: NOTHING, fell: NOTHING, fellElsewhere: NOTHING }),
    ),
    obligation(
      "one more order keeps the total equal to the fall of the debts",
      implies(premise, isSound(after)),
    ),
    obligation(
      "one more order goes to its own off-ramp in its own token, and changes neither for those before it",
      implies(
        premise,
        and(
          implies(
            taken,
            and(equals(after.token, facts.terms.token), equals(after.offRamp, facts.terms.offRamp)),
          ),
          implies(taken, isLess(NOTHING, after.total)),
          implies(
            isLess(NOTHING, batch.total),
            and(equals(after.token, batch.token), equals(after.offRamp, batch.offRamp)),
          ),
        ),
      ),
    ),
    obligation(
      "the transfer at its end leaves the token's debts covered",
      implies(
        and(isSound(batch), isLess(NOTHING, batch.total), measured, isAtMost(plus(owed, batch.fell), held)),
        isAtMost(owed, holds),
      ),
    ),
  ];
};
