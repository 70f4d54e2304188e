// Law 4. A party's own statement plus the others' silence does not suffice to move funds to that party, beyond what the
// release type grants.
import {
  anyFacts,
  type Facts,
  isDisputed,
  isReleasedByProof,
  isShipped,
  isThirdParty,
  isType,
  NOBODY,
  status,
} from "../model/order.ts";
import { fund } from "../operations/any-arguments.ts";
import type { Obligation } from "../smt/obligation.ts";
import { and, type Bool, equals, implies, isAtMost, isIn, isLess, not, or } from "../smt/term.ts";
import { acts, type Change, grew, ofEveryStep, type Part } from "./every-step.ts";

const PART = "4 own word";

const isReleased = ({ before, step }: Change): Bool => grew(before.order.released, step.order.released);
const isReturned = ({ before, step }: Change): Bool => grew(before.order.refunded, step.order.refunded);

const arbiterDecides = ({ before }: Change): Bool =>
  and(equals(before.caller, before.terms.arbiter), isDisputed(before.order));

/** The grounds on which funds are released, by release type. */
function releaseGrounds(change: Change): Bool {
  const { before, step } = change;
  const { order, terms, now, caller } = before;
  const thirdParty = isThirdParty(before);
  const oracle = and(thirdParty, or(step.order.oracleSpoke, acts(terms.deliveryOracle, change)));
  const noOracle = equals(terms.deliveryOracle, NOBODY);
  const lockOver = and(isShipped(order.status), isAtMost(terms.timeLockUntil, now));
  return or(
    acts(order.payer, change),
    arbiterDecides(change),
    and(isReleasedByProof(terms), or(oracle, and(not(thirdParty), step.order.partyProved))),
    and(isType(terms, "TIME_LOCKED"), lockOver, or(not(thirdParty), oracle)),
    and(
      isType(terms, "MILESTONE_LOCKED"),
      or(oracle, and(noOracle, terms.autoReleaseOnProof, equals(caller, terms.operator))),
    ),
  );
}

/** The grounds on which funds are returned. */
function returnGrounds(change: Change): Bool {
  const { before } = change;
  const { order, terms, now, caller } = before;
  const lockOver = and(isShipped(order.status), isAtMost(terms.timeLockUntil, now));
  const deadlineOver = and(
    isLess(order.deliveryDeadline, now),
    not(order.proven),
    not(and(isType(terms, "TIME_LOCKED"), lockOver)),
  );
  const openly = and(
    isReleasedByProof(terms),
    not(isThirdParty(before)),
    not(order.proven),
    isDisputed(order),
    not(order.merchantLatest),
    isLess(order.disputeDeadline, now),
  );
  return or(
    acts(terms.payee, change),
    and(equals(caller, terms.operator), not(order.proven), not(isDisputed(order))),
    arbiterDecides(change),
    deadlineOver,
    openly,
  );
}

export const ownWord: Part = (withoutFix) => [
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} releases on the grounds that the type grants`,
    (change) => implies(isReleased(change), releaseGrounds(change)),
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} returns on the grounds that the type grants`,
    (change) => implies(isReturned(change), returnGrounds(change)),
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} leaves a TIME_LOCKED order its lock, unless payer or arbiter release`,
    (change) => {
      const { terms, order, now } = change.before;
      const early = and(isType(terms, "TIME_LOCKED"), isLess(now, terms.timeLockUntil));
      return implies(and(early, isReleased(change)), or(acts(order.payer, change), arbiterDecides(change)));
    },
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    () => "the merchant's dispute and silence release and return nothing",
    (change) =>
      implies(change.before.order.merchantLatest, and(not(isReleased(change)), not(isReturned(change)))),
    ["resolveExpiredDispute"],
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} makes an order proven on grounds that the type grants`,
    ({ before, step }) =>
      implies(
        and(not(before.order.proven), step.order.proven),
        or(
          and(isThirdParty(before), step.order.oracleSpoke),
          and(not(isThirdParty(before)), isReleasedByProof(before.terms), not(isDisputed(before.order))),
        ),
      ),
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} rests on the independent oracle where there is one`,
    (change) => {
      const { before, step } = change;
      const ships = and(equals(before.order.status, status("Created")), isShipped(step.order.status));
      return implies(and(ships, isThirdParty(before)), acts(before.terms.deliveryOracle, change));
    },
    ["markShipped", "submitDeliveryProof"],
  ),
  nobodyIsJudge(withoutFix),
];

function nobodyIsJudge(withoutFix: Facts["withoutFix"]): Obligation {
  const facts = anyFacts(withoutFix);
  const { arbiter, payee, operator, offRamp } = facts.terms;
  const { guard, order } = fund(facts);
  const isParty = isIn(arbiter, NOBODY, payee, operator, offRamp, order.payer);
  return {
    part: PART,
    name: "createOrder makes nobody the judge of their own dispute",
    claim: implies(guard, not(isParty)),
  };
}
