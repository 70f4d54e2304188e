// What the chain says of an escrow order beside the payment's own status: shipping, proofs, disputes, releases, refunds.
// Each fact has a key of its own and is told once, when the block that last changed the order is deep enough.
import { eq } from "drizzle-orm";
import { type Address, getAddress, isAddressEqual } from "viem";
import type { Actor } from "../audit/record-audit.ts";
import { ORDER_STATUSES } from "../chain/terms.ts";
import type { Config } from "../config.ts";
import { chainDeliveryProof, milestoneRelease, type OrderRow } from "../db/chain.ts";
import type { Transaction } from "../db/client.ts";
import type { IntentView } from "../db/read-intent.ts";
import { deliveryProof, milestone } from "../db/schema.ts";
import { escrowDataOf, escrowIdOf } from "../intent/show-escrow.ts";
import { metadataOf } from "../intent/show-intent.ts";
import { milestoneDataOf } from "../intent/show-milestone.ts";
import { depthOf } from "../intent/status.ts";
import { formatAmount } from "../money.ts";
import type { Draft } from "./record-events.ts";

type Shown = Pick<Config, "chain">;
type Fact = Draft & {
  /** Unix seconds. */
  at: number;
};

/** Whether the order has changed since its facts were told, and the change is deep enough to rely on. */
export const hasUntoldFacts = ({ order, intent, head, facts }: IntentView): boolean =>
  order !== null &&
  order.updatedBlockHash !== intent.escrowTold &&
  depthOf(head, order.updatedBlock) >= facts.confirmations;

/** The part that an account plays in an order. */
function actorOf({ terms, order }: IntentView, account: Address): Actor {
  const id = getAddress(account);
  const is = (other: Address | undefined) => other !== undefined && isAddressEqual(other, account);
  if (is(terms.deliveryOracle)) return { type: "oracle", id };
  if (is(order?.payer)) return { type: "payer", id };
  if (is(terms.payee)) return { type: "payee", id };
  if (is(terms.operator)) return { type: "system", id };
  return is(terms.arbiter) ? { type: "arbiter", id } : { type: "account", id };
}

function ofOrder(view: IntentView, order: OrderRow, config: Shown): Fact[] {
  const object = {
    object: "conditional_payment",
    ...escrowDataOf(view, config),
    releasedAmount: formatAmount(order.released, view.intent.currency),
    refundedAmount: formatAmount(order.refunded, view.intent.currency),
    metadata: metadataOf(view),
  };
  const once = (type: Fact["type"], at: number): Fact => ({ type, at, decidedBy: "", data: { object } });
  return [
    ...(order.shippedAt === null ? [] : [once("conditional_payment.shipped", order.shippedAt)]),
    ...(order.releasedAt === null ? [] : [once("conditional_payment.released", order.releasedAt)]),
    ...(order.refunded === 0n
      ? []
      : [once("conditional_payment.refunded", order.endedAt ?? order.updatedAt)]),
  ];
}

/** The contract's causes of a resolution (contracts/IDeliveryVsPayment.sol, Cause); without one a party gave in. */
const RESOLUTIONS: Record<number, string> = { 7: "ARBITER", 8: "AGREEMENT", 9: "TIMEOUT" };

const resolutionOf = ({ disputeCause }: OrderRow): string => RESOLUTIONS[disputeCause ?? -1] ?? "CONCESSION";

function outcomeOf({ refunded, disputePayeeAmount }: OrderRow): string {
  if (refunded === 0n) return "MERCHANT_WON";
  return disputePayeeAmount !== null && disputePayeeAmount > 0n ? "PARTIAL_REFUND" : "BUYER_WON";
}

function ofDispute(view: IntentView, order: OrderRow): Fact[] {
  if (order.disputeRaisedAt === null) return [];
  const { currency } = view.intent;
  const dispute = {
    object: "dispute",
    id: escrowIdOf(view).replace("escrow_", "dispute_"),
    conditionalPaymentId: escrowIdOf(view),
    paymentIntentId: view.intent.id,
    disputeReason: order.disputeReason,
    disputeRaisedBy: order.disputeRaisedBy && getAddress(order.disputeRaisedBy),
    disputeRaisedAt: String(order.disputeRaisedAt),
    disputeDeadline: order.disputeDeadline === null ? null : String(order.disputeDeadline),
    metadata: metadataOf(view),
  };
  const raised: Fact = {
    type: "dispute.raised",
    at: order.disputeRaisedAt,
    decidedBy: "",
    data: { object: { ...dispute, status: "raised" } },
    ...(order.disputeRaisedBy ? { actor: actorOf(view, order.disputeRaisedBy) } : {}),
  };
  if (ORDER_STATUSES[order.status] === "Disputed") return [raised];
  const amounts = {
    releasedAmount: formatAmount(order.released, currency),
    refundedAmount: formatAmount(order.refunded, currency),
  };
  const resolution = resolutionOf(order);
  const object = { ...dispute, status: "resolved", outcome: outcomeOf(order), resolution, ...amounts };
  const at = order.releasedAt ?? order.endedAt ?? order.updatedAt;
  const before = { previousAttributes: { status: "raised" } };
  const actor = resolution === "ARBITER" ? { actor: actorOf(view, view.terms.arbiter) } : {};
  return [raised, { type: "dispute.resolved", at, decidedBy: "", data: { object, ...before }, ...actor }];
}

async function ofProofs(tx: Transaction, view: IntentView): Promise<Fact[]> {
  const { id, orderId } = view.intent;
  const proofs = await tx.select().from(chainDeliveryProof).where(eq(chainDeliveryProof.orderId, orderId));
  if (proofs.length === 0) return [];
  const said = await tx.select().from(deliveryProof).where(eq(deliveryProof.intentId, id));
  return proofs.map((proof) => ({
    type: "delivery_proof.submitted",
    at: proof.submittedAt,
    decidedBy: proof.id,
    actor: actorOf(view, proof.submittedBy),
    data: {
      object: {
        object: "delivery_proof",
        id: said.find((row) => row.submitTxHash === proof.txHash)?.id ?? `proof_${proof.id}`,
        conditionalPaymentId: escrowIdOf(view),
        paymentIntentId: id,
        proofHash: proof.proofHash,
        proofURI: proof.proofUri || null,
        submittedBy: getAddress(proof.submittedBy),
        submittedAt: String(proof.submittedAt),
        submitTxHash: proof.txHash,
        valid: proof.valid,
        metadata: metadataOf(view),
      },
    },
  }));
}

async function ofMilestones(tx: Transaction, view: IntentView): Promise<Fact[]> {
  const { id, orderId, currency } = view.intent;
  const releases = await tx.select().from(milestoneRelease).where(eq(milestoneRelease.orderId, orderId));
  if (releases.length === 0) return [];
  const planned = await tx.select().from(milestone).where(eq(milestone.intentId, id));
  return releases.map((release) => {
    const row = planned.find(({ milestoneIndex }) => milestoneIndex === release.milestoneIndex);
    // The payer may release what the merchant has not planned.
    const shown = row
      ? milestoneDataOf(view, { ...row, released: true })
      : { id: `milestone_${release.id}`, milestoneIndex: release.milestoneIndex, status: "RELEASED" };
    const object = {
      object: "milestone",
      conditionalPaymentId: escrowIdOf(view),
      paymentIntentId: id,
      ...shown,
      amount: formatAmount(release.amount, currency),
      metadata: metadataOf(view),
    };
    return {
      type: "milestone.released",
      at: release.releasedAt,
      decidedBy: release.id,
      actor: actorOf(view, release.actor),
      data: { object },
    };
  });
}

/** Everything that has happened to the order so far, oldest first. */
export async function escrowFacts(tx: Transaction, view: IntentView, config: Shown): Promise<Draft[]> {
  const { order, intent } = view;
  if (!order || intent.type !== "DELIVERY_VS_PAYMENT") return [];
  const facts = [
    ...(await ofProofs(tx, view)),
    ...(await ofMilestones(tx, view)),
    ...ofDispute(view, order),
    ...ofOrder(view, order, config),
  ];
  return facts.sort((a, b) => a.at - b.at).map(({ at: _, ...draft }) => draft);
}
