// Every operation with arbitrary arguments.
import type { Facts } from "../model/order.ts";
import { boolVariable, intVariable } from "../smt/term.ts";
import { markShipped, submitDeliveryProof } from "./delivery.ts";
import {
  raiseDispute,
  resolveDispute,
  resolveDisputeByAgreement,
  resolveExpiredDispute,
} from "./disputes.ts";
import { createOrder } from "./funding.ts";
import { reclaim, refund } from "./refunds.ts";
import { release, releaseMilestone, releaseTimeLocked } from "./release.ts";
import { claimCredit, settle, withdraw } from "./settlement.ts";
import type { Step } from "./step.ts";

/** Variables for the arguments of a call, by name. */
export const anyInt = (name: string) => intVariable(`call.${name}`);
export const anyBool = (name: string) => boolVariable(`call.${name}`);

const byOracle = () => ({ bySignature: anyBool("bySignature"), oracleSigned: anyBool("oracleSigned") });
const byPayer = () => ({ bySignature: anyBool("bySignature"), payerSigned: anyBool("payerSigned") });

export const anyAgreement = () => ({
  payeeAmount: anyInt("payeeAmount"),
  merchants: anyBool("merchants"),
  expiry: anyInt("expiry"),
  payerSigned: anyBool("payerSigned"),
  payeeSigned: anyBool("payeeSigned"),
});

export function fund(facts: Facts): Step {
  return createOrder(facts, { payer: anyInt("payer"), fundable: anyBool("fundable"), ...byPayer() });
}

/** The operations on a funded order. */
export const OPERATIONS = {
  markShipped: (facts) => markShipped(facts, byOracle()),
  submitDeliveryProof: (facts) =>
    submitDeliveryProof(facts, { proofHash: anyInt("proofHash"), ...byOracle() }),
  release,
  releaseTimeLocked,
  releaseMilestone: (facts) =>
    releaseMilestone(facts, { cumulative: anyInt("cumulative"), index: anyInt("index"), ...byOracle() }),
  settle,
  withdraw,
  refund: (facts) => refund(facts, { amount: anyInt("amount") }),
  reclaim,
  raiseDispute: (facts) =>
    raiseDispute(facts, { window: anyInt("window"), expiry: anyInt("expiry"), ...byPayer() }),
  resolveDispute: (facts) => resolveDispute(facts, { payeeAmount: anyInt("payeeAmount") }),
  resolveDisputeByAgreement: (facts) => resolveDisputeByAgreement(facts, anyAgreement()),
  resolveExpiredDispute,
  claimCredit: (facts) => claimCredit(facts, { receiver: anyInt("receiver") }),
} satisfies Record<string, (facts: Facts) => Step>;
export type Operation = keyof typeof OPERATIONS;
