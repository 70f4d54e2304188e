// Law 5. Nobody can use up another party's right.
import { invariant } from "../model/invariant.ts";
import { anyFacts, type Facts, isType, LONGEST_WINDOW, NOBODY, NOTHING } from "../model/order.ts";
import { anyAgreement, anyBool, anyInt, fund } from "../operations/any-arguments.ts";
import { raiseDispute, resolveDisputeByAgreement, resolveExpiredDispute } from "../operations/disputes.ts";
import { type Milestone, releaseMilestone } from "../operations/release.ts";
import type { Obligation } from "../smt/obligation.ts";
import {
  and,
  type Bool,
  equals,
  FALSE,
  implies,
  int,
  isAtMost,
  isIn,
  isLess,
  minus,
  not,
  or,
  plus,
  TRUE,
  when,
} from "../smt/term.ts";
import { acts, type Change, isPossible, ofEveryStep, type Part } from "./every-step.ts";

const PART = "5 own rights";

export const ownRights: Part = (withoutFix) => [
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} spends no dispute but the caller's side's own`,
    ownDispute,
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation}: only a dispute moves the delivery deadline, by its window and the terms'`,
    ({ operation, before, step }) => {
      const left = minus(before.order.deliveryDeadline, before.now);
      return operation === "raiseDispute"
        ? equals(
            minus(step.order.deliveryDeadline, step.order.disputeDeadline),
            plus(left, before.terms.disputeWindow),
          )
        : equals(step.order.deliveryDeadline, before.order.deliveryDeadline);
    },
  ),
  ...ofEveryStep(
    PART,
    withoutFix,
    (operation) => `${operation} never lowers what was released`,
    ({ before, step }) => isAtMost(before.order.released, step.order.released),
  ),
  oracleSignatureStays(withoutFix),
  disputeBeforeLock(withoutFix),
  ...agreements(withoutFix),
  namedPayer(withoutFix),
];

/**
 * Each side can raise one dispute, and only for itself. A dispute that the operator raises counts as the merchant's
 * unless the payer signed it.
 */
function ownDispute(change: Change): Bool {
  const { before, step } = change;
  const { order, terms, caller } = before;
  const after = step.order;
  const raises = (flag: "payerDisputed" | "merchantDisputed") => and(not(order[flag]), after[flag]);
  const disputes = plus(
    when(raises("payerDisputed"), int(1), NOTHING),
    when(raises("merchantDisputed"), int(1), NOTHING),
  );
  return and(
    implies(order.payerDisputed, after.payerDisputed),
    implies(order.merchantDisputed, after.merchantDisputed),
    equals(minus(after.disputes, order.disputes), disputes),
    implies(raises("payerDisputed"), acts(order.payer, change)),
    implies(
      raises("merchantDisputed"),
      and(isIn(caller, terms.payee, terms.operator), not(equals(caller, order.payer))),
    ),
  );
}

/**
 * Funds whose release the oracle has signed belong to the payee immediately, and no milestone release by the payer
 * invalidates the signature.
 */
function oracleSignatureStays(withoutFix: Facts["withoutFix"]): Obligation {
  const facts = anyFacts(withoutFix);
  const signed: Milestone = {
    cumulative: anyInt("cumulative"),
    index: anyInt("index"),
    bySignature: TRUE,
    oracleSigned: TRUE,
  };
  const before = releaseMilestone(facts, signed);
  const byPayer: Milestone = { ...signed, cumulative: anyInt("payer's cumulative"), bySignature: FALSE };
  const payers = releaseMilestone({ ...facts, caller: facts.order.payer }, byPayer);
  const after = releaseMilestone({ ...facts, order: payers.order }, signed);
  const reached = when(after.guard, after.order.released, payers.order.released);
  return {
    part: PART,
    name: "a milestone that the payer releases voids no signature of the oracle",
    claim: implies(
      and(isPossible(facts), invariant(facts), before.guard, payers.guard),
      isAtMost(before.order.released, reached),
    ),
  };
}

/**
 * A merchant's dispute that outlasts a lock would prevent the payer from disputing before the payee can take the funds.
 */
function disputeBeforeLock(withoutFix: Facts["withoutFix"]): Obligation {
  const facts = anyFacts(withoutFix);
  const { order, terms } = facts;
  const window = anyInt("window");
  const delay = anyInt("delay");
  const merchants = raiseDispute(facts, { window, bySignature: FALSE, payerSigned: FALSE, expiry: NOTHING });
  const over = {
    ...facts,
    order: merchants.order,
    now: plus(merchants.order.disputeDeadline, delay),
    caller: order.payer,
  };
  const resumed = resolveExpiredDispute(over);
  const payers = raiseDispute(
    { ...over, order: resumed.order },
    { window: terms.disputeWindow, bySignature: FALSE, payerSigned: FALSE, expiry: NOTHING },
  );
  return {
    part: PART,
    name: "after a merchant's dispute before the lock's end the payer raises one for as long as the terms' window",
    claim: implies(
      and(
        isPossible(facts),
        invariant(facts),
        isType(terms, "TIME_LOCKED"),
        isLess(facts.now, terms.timeLockUntil),
        not(equals(facts.caller, order.payer)),
        isAtMost(terms.disputeWindow, LONGEST_WINDOW),
        not(order.payerDisputed),
        merchants.guard,
        isAtMost(int(1), delay),
        isLess(delay, terms.disputeWindow),
      ),
      and(resumed.guard, payers.guard),
    ),
  };
}

/** An agreement is signed for one dispute, the payer's or the merchant's. Each dispute has a permanent number. */
function agreements(withoutFix: Facts["withoutFix"]): Obligation[] {
  const facts = anyFacts(withoutFix);
  const agreement = anyAgreement();
  const step = resolveDisputeByAgreement(facts, agreement);
  const numberOf = ({ payersDispute, merchantsDispute }: Facts["order"]) =>
    when(agreement.merchants, merchantsDispute, payersDispute);
  return [
    {
      part: PART,
      name: "an agreement ends the dispute that it names, in time and with both signatures",
      claim: implies(
        and(isPossible(facts), invariant(facts), step.guard),
        and(
          equals(numberOf(facts.order), facts.order.disputes),
          isAtMost(facts.now, agreement.expiry),
          agreement.payerSigned,
          agreement.payeeSigned,
        ),
      ),
    },
    ...ofEveryStep(
      PART,
      withoutFix,
      (operation) => `${operation} gives no dispute another number`,
      ({ before: { order }, step: { order: after } }) =>
        and(
          implies(order.payerDisputed, equals(after.payersDispute, order.payersDispute)),
          implies(order.merchantDisputed, equals(after.merchantsDispute, order.merchantsDispute)),
        ),
    ),
  ];
}

function namedPayer(withoutFix: Facts["withoutFix"]): Obligation {
  const facts = anyFacts(withoutFix);
  const step = fund(facts);
  const { namedPayer: named, operator } = facts.terms;
  const signed = and(equals(facts.caller, operator), anyBool("payerSigned"));
  return {
    part: PART,
    name: "terms that name a payer are funded by that payer's own call or signature",
    claim: implies(
      and(isPossible({ ...facts, order: step.order }), step.guard),
      and(
        or(equals(named, NOBODY), equals(step.order.payer, named)),
        or(equals(facts.caller, step.order.payer), signed),
      ),
    ),
  };
}
