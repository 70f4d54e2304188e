// Law 3. What a party can take by its own call, nobody else's call removes: afterwards it can take as much, or has
// received the difference. Time does not remove it either.
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

/** What the party received, in or outside the escrow. A payer who is the payee gets both. */
function given(party: Party, { order: before, terms }: Facts, after: Facts["order"]): Int {
  const refunded = minus(after.refunded, before.refunded);
  const released = minus(after.released, before.released);
  const isBoth = equals(before.payer, terms.payee);
  if (party === "payer") return plus(refunded, when(isBoth, released, NOTHING));
  return plus(released, when(isBoth, refunded, NOTHING));
}

/** A token that moves a different amount than requested removes the payer's exits by itself. */
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
