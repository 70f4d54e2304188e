// Converts a call on the executable model to the symbolic model, with constants instead of variables.
import type { Call, Context, TransferOutcome } from "../escrow-model/calls.ts";
import { type Order, UNFUNDED } from "../escrow-model/order.ts";
import { type Address, ESCROW, RELEASE_TYPES, ZERO } from "../escrow-model/terms.ts";
import type { ProofFix } from "./model/fixes.ts";
import {
  type Facts,
  KEEPS,
  MOVES,
  NOBODY,
  NOTHING,
  type Order as SymbolicOrder,
  status,
} from "./model/order.ts";
import { markShipped, submitDeliveryProof } from "./operations/delivery.ts";
import {
  raiseDispute,
  resolveDispute,
  resolveDisputeByAgreement,
  resolveExpiredDispute,
} from "./operations/disputes.ts";
import { createOrder } from "./operations/funding.ts";
import { reclaim, refund } from "./operations/refunds.ts";
import { release, releaseMilestone, releaseTimeLocked } from "./operations/release.ts";
import { claimCredit, settle, withdraw } from "./operations/settlement.ts";
import type { Step } from "./operations/step.ts";
import { bool, FALSE, type Int, int } from "./smt/term.ts";

const MOVES_OTHER_AMOUNT = int(2);

/** Assigns a number to each name. */
class Addresses {
  private readonly known = new Map<Address, Int>([[ZERO, NOBODY]]);

  of(name: Address): Int {
    const number = this.known.get(name) ?? int(this.known.size);
    this.known.set(name, number);
    return number;
  }
}

export const addresses = new Addresses();

const hashOf = (name: string | null): Int => (name === null ? NOTHING : int(name === "expected" ? 1 : 2));

/** Returns the symbolic model's result of the call. */
export function stepOf(order: Order | null, call: Call, context: Context): Step {
  const facts = factsOf(order, call, context);
  const signers = "signers" in call ? call.signers : undefined;
  const bySignature = bool(signers !== undefined);
  const signed = (address: Address | undefined) =>
    bool(address !== undefined && !!signers?.includes(address));
  const oracle = { bySignature, oracleSigned: signed(context.terms.deliveryOracle) };
  const payerSigned = signed(order?.payer);
  switch (call.name) {
    case "createOrder":
      return createOrder(facts, {
        payer: addresses.of(call.payer),
        fundable: bool(context.fundable !== false && order === null),
        bySignature,
        payerSigned: signed(call.payer),
      });
    case "markShipped":
      return markShipped(facts, oracle);
    case "submitDeliveryProof":
      return submitDeliveryProof(facts, { proofHash: hashOf(call.proofHash), ...oracle });
    case "release":
      return release(facts);
    case "releaseTimeLocked":
      return releaseTimeLocked(facts);
    case "releaseMilestone": {
      const index = int(call.index ?? order?.milestones ?? 0);
      return releaseMilestone(facts, { cumulative: int(call.cumulative), index, ...oracle });
    }
    case "settle":
      return settle(facts);
    case "withdraw":
      return withdraw(facts);
    case "refund":
      return refund(facts, { amount: int(call.amount) });
    case "reclaim":
      return reclaim(facts);
    case "raiseDispute":
      return raiseDispute(facts, {
        window: int(call.window),
        expiry: int(call.expiry ?? context.now),
        bySignature,
        payerSigned,
      });
    case "resolveDispute":
      return resolveDispute(facts, { payeeAmount: int(call.payeeAmount) });
    case "resolveDisputeByAgreement":
      return resolveDisputeByAgreement(facts, {
        payeeAmount: int(call.payeeAmount),
        merchants: bool(order !== null && isMerchants(order, call.dispute)),
        expiry: int(call.expiry),
        payerSigned,
        payeeSigned: signed(context.terms.payee),
      });
    case "resolveExpiredDispute":
      return resolveExpiredDispute(facts);
    case "claimCredit":
      return claimCredit(facts, { receiver: NOBODY });
  }
}

/** Whether the merchant's side raised the dispute. Each side can raise only one. */
function isMerchants(order: Order, dispute: number): boolean {
  const latest = order.disputeSide === "merchant";
  return dispute === order.disputes ? latest : !latest;
}

export function orderOf(order: Order): SymbolicOrder {
  return {
    payer: addresses.of(order.payer),
    status: status(order.status),
    deliveryDeadline: int(order.deliveryDeadline),
    disputeDeadline: int(order.disputeDeadline),
    statusBefore: status(order.statusBefore),
    released: int(order.released),
    refunded: int(order.refunded),
    settled: int(order.settled),
    withdrawn: int(order.withdrawn),
    credit: int(order.credit),
    milestones: int(order.milestones),
    disputes: int(order.disputes),
    payerDisputed: bool(order.payerDisputed),
    merchantDisputed: bool(order.merchantDisputed),
    merchantLatest: bool(order.disputeSide === "merchant"),
    proven: bool(order.proven),
    ...HISTORY,
  };
}

/** Fields that the executable model does not track. */
export const HISTORY = {
  payersDispute: NOTHING,
  merchantsDispute: NOTHING,
  oracleSpoke: FALSE,
  partyProved: FALSE,
};

function factsOf(order: Order | null, call: Call, context: Context): Facts {
  const { terms, caller, now, withoutFix } = context;
  const receiver = receiverOf(order, call, context);
  const outcome = context.transferTo?.(receiver) ?? "moves";
  return {
    order: orderOf(order ?? UNFUNDED),
    terms: {
      operator: addresses.of(terms.operator),
      arbiter: addresses.of(terms.arbiter),
      deliveryOracle: addresses.of(terms.deliveryOracle),
      payee: addresses.of(terms.payee),
      namedPayer: addresses.of(terms.payer),
      offRamp: addresses.of(terms.offRamp),
      token: NOTHING,
      amount: int(terms.amount),
      fundingDeadline: int(terms.fundingDeadline),
      deliveryPeriod: int(terms.deliveryPeriod),
      disputeWindow: int(terms.disputeWindow),
      timeLockUntil: int(terms.timeLockUntil),
      releaseType: int(RELEASE_TYPES.indexOf(terms.releaseType)),
      expectedHash: hashOf(terms.expectedDeliveryHash),
      autoReleaseOnProof: bool(terms.autoReleaseOnProof),
    },
    now: int(now),
    caller: addresses.of(caller),
    outcome: outcomeOf(call, outcome),
    part: NOTHING,
    escrow: addresses.of(ESCROW),
    withoutFix: (withoutFix ?? null) as ProofFix | null,
  };
}

function receiverOf(order: Order | null, { name }: Call, { terms }: Context): Address {
  if (name === "settle") return terms.offRamp;
  return name === "withdraw" ? terms.payee : (order?.payer ?? ZERO);
}

/**
 * Returns the outcome for the symbolic model. Transfers to the caller or the off-ramp count as moved only if the token
 * also reports success.
 */
function outcomeOf({ name }: Call, outcome: TransferOutcome): Int {
  const isSent = name === "settle" || name === "withdraw" || name === "claimCredit";
  if (outcome === "moves" || (outcome === "movesAndDenies" && !isSent)) return MOVES;
  return outcome === "keeps" ? KEEPS : MOVES_OTHER_AMOUNT;
}
