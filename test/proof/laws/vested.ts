// Law 3. No other party's call removes what a party can take by its own call: afterwards, the party can take as much or
// has received the difference. Time does not remove it either.
import { invariant } from "../model/invariant.ts";
import { anyFacts, type Facts, hasUnreleasedStatus, KEEPS, MOVES, NOTHING } from "../model/order.ts";
import {
  and,
  type Bool,
  equals,
  type Int,
  implies,
  int,
  intVariable,
  isAtMost,
  isIn,
  minus,
  not,
  plus,
  when,
} from "../smt/term.ts";
import { acts, isPossible, ofEveryStep, type Part } from "./every-step.ts";
import { takeableByPayee, takeableByPayer } from "./takeable.ts";

const PART = "3 vested";

const PARTIES = { payer: takeableByPayer, payee: takeableByPayee } as const;
type Party = keyof typeof PARTIES;

const addressOf = (party: Party, { order, terms }: Facts): Int =>
  party === "payer" ? order.payer : terms.payee;

/**
 * Returns the amount that the party received, inside or outside the escrow. A payer who is also the payee gets both
 * amounts.
 */
function given(party: Party, { order: before, terms }: Facts, after: Facts["order"]): Int {
  const refunded = minus(after.refunded, before.refunded);
  const released = minus(after.released, before.released);
  const isBoth = equals(before.payer, terms.payee);
  if (party === "payer") return plus(refunded, when(isBoth, released, NOTHING));
  return plus(released, when(isBoth, refunded, NOTHING));
}

/** Excludes tokens that move a different amount than requested, because they can block the payer's exits. */
const tokenAnswers = ({ outcome }: Facts): Bool => isIn(outcome, MOVES, KEEPS);

export const vested: Part = (withoutFix) =>
  (Object.keys(PARTIES) as Party[]).flatMap((party) => {
    const takeable = PARTIES[party];
    const facts = anyFacts(withoutFix);
    const later = { ...facts, now: intVariable("later") };
    const premise = and(isPossible(facts), invariant(facts), isAtMost(facts.now, later.now));
    return [
      ...ofEveryStep(
        PART,
        withoutFix,
        (operation) => `${operation} by somebody else leaves the ${party} what the ${party} can take`,
        (change) => {
          const { before, step } = change;
          const after = plus(takeable({ ...before, order: step.order }), given(party, before, step.order));
          return implies(
            and(not(acts(addressOf(party, before), change)), tokenAnswers(before)),
            isAtMost(takeable(before), after),
          );
        },
      ),
      ...ofEveryStep(
        PART,
        withoutFix,
        (operation) => `${operation} by another caller does not reduce what the ${party} was given`,
        (change) => {
          const { before, step } = change;
          return implies(
            not(acts(addressOf(party, before), change)),
            isAtMost(NOTHING, given(party, before, step.order)),
          );
        },
      ),
      {
        part: PART,
        name: `time leaves the ${party} what the ${party} can take`,
        claim: implies(and(premise, tokenAnswers(facts)), isAtMost(takeable(facts), takeable(later))),
      },
      {
        part: PART,
        name: `the ${party} can take something at some moment`,
        claim: and(premise, hasUnreleasedStatus(facts.order), isAtMost(int(1), takeable(facts))),
        possible: true,
      },
    ];
  });
