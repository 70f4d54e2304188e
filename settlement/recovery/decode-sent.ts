// Determines the purpose of an operator's transaction from its calldata: a contract call contains the terms of its
// orders, and an order's id is the hash of its terms.
import { decodeFunctionData, type Transaction as Sent } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { orderIdOf, type Terms } from "#core/chain/terms.ts";
import type { TransactionPurpose } from "#core/db/schema/transactions.ts";
import type { Deployment } from "#core/deployment/deployment.ts";
import type { OrderId } from "#core/ids.ts";
import { listSettled, type SettlementGroup } from "../escrow/settlement-groups.ts";

/** A call as stored by the relayer. */
export type SentCall = { purpose: TransactionPurpose; orderIds: OrderId[] };

/** Functions whose first argument is the order's terms. */
const PURPOSES: Partial<Record<string, TransactionPurpose>> = {
  createOrder: "create_order",
  createOrderFor: "create_order",
  createOrderForWithPermit: "create_order",
  createOrderWithAuthorization: "create_order",
  createOrderWithPermit2: "create_order",
  markShipped: "mark_shipped",
  markShippedFor: "mark_shipped",
  submitDeliveryProof: "submit_delivery_proof",
  submitDeliveryProofFor: "submit_delivery_proof",
  release: "release",
  releaseMilestone: "release_milestone",
  releaseMilestoneFor: "release_milestone",
  releaseTimeLocked: "release_time_locked",
  refund: "refund",
  raiseDispute: "raise_dispute",
  raiseDisputeFor: "raise_dispute",
  resolveDispute: "resolve_dispute",
  resolveDisputeByAgreement: "resolve_dispute",
  resolveExpiredDispute: "resolve_expired_dispute",
};

/** @returns undefined for calldata of another contract */
function decodeCalldata(data: Sent["input"]) {
  try {
    return decodeFunctionData({ abi: deliveryVsPaymentAbi, data });
  } catch {
    return undefined;
  }
}

/** Returns a call's purpose and the terms of its orders; undefined for a call that the relayer does not make. */
function decodeCall(
  data: Sent["input"],
): { purpose: TransactionPurpose; terms: readonly Terms[] } | undefined {
  const call = decodeCalldata(data);
  if (!call) return undefined;
  const [first] = (call.args ?? []) as readonly unknown[];
  if (call.functionName === "settle")
    return { purpose: "settle", terms: listSettled(first as readonly SettlementGroup[]) };
  const purpose = PURPOSES[call.functionName];
  return purpose && { purpose, terms: [first as Terms] };
}

/** @returns undefined for a transaction that the relayer does not send */
export function decodeSent(
  { to, from, input }: Pick<Sent, "to" | "from" | "input">,
  { chainId, contract }: Pick<Deployment, "chainId" | "contract">,
): SentCall | undefined {
  if (to?.toLowerCase() === from.toLowerCase() && input === "0x")
    return { purpose: "fill_nonce", orderIds: [] };
  if (to?.toLowerCase() !== contract.toLowerCase()) return undefined;
  const call = decodeCall(input);
  if (!call) return undefined;
  try {
    const orderIds = [...new Set(call.terms.map((terms) => orderIdOf(chainId, contract, terms)))];
    return { purpose: call.purpose, orderIds };
  } catch {
    // A number exceeds its type: the contract rejects such calldata, and the relayer does not send it.
    return undefined;
  }
}
