// One call on one order, as a pure function. It is derived only from the operation table, not from the Solidity code.
import { type Call, type Context, type Result, refuse } from "../calls.ts";
import type { Order } from "../order.ts";
import { markShipped, submitDeliveryProof } from "./delivery.ts";
import {
  raiseDispute,
  resolveDispute,
  resolveDisputeByAgreement,
  resolveExpiredDispute,
} from "./disputes.ts";
import { createOrder } from "./funding.ts";
import type { OperationInput } from "./moves.ts";
import { reclaim, refund } from "./refunds.ts";
import { release, releaseMilestone, releaseTimeLocked } from "./release.ts";
import { claimCredit, settle, withdraw } from "./settlement.ts";

/** Returns the call's effect on the order (null: not funded yet), or the error that rejects the call. */
export function apply(order: Order | null, call: Call, context: Context): Result {
  if (call.name === "createOrder") return createOrder(order, call, context);
  if (!order) return refuse("OrderNotFound");
  // Reads the fields one by one: the search makes millions of calls, and copying the context would double their cost.
  const { terms, caller, now, transferTo } = context;
  const facts: OperationInput = {
    order,
    terms,
    now,
    caller,
    transferTo,
    withoutFix: context.withoutFix ?? null,
  };
  switch (call.name) {
    case "markShipped":
      return markShipped(facts, call);
    case "submitDeliveryProof":
      return submitDeliveryProof(facts, call);
    case "release":
      return release(facts);
    case "releaseTimeLocked":
      return releaseTimeLocked(facts);
    case "releaseMilestone":
      return releaseMilestone(facts, call);
    case "settle":
      return settle(facts);
    case "withdraw":
      return withdraw(facts);
    case "refund":
      return refund(facts, call);
    case "reclaim":
      return reclaim(facts);
    case "raiseDispute":
      return raiseDispute(facts, call);
    case "resolveDispute":
      return resolveDispute(facts, call);
    case "resolveDisputeByAgreement":
      return resolveDisputeByAgreement(facts, call);
    case "resolveExpiredDispute":
      return resolveExpiredDispute(facts);
    case "claimCredit":
      return claimCredit(facts);
  }
}
