// Collects the facts of an escrow order that the payment's own status does not cover: shipping, proofs, disputes,
// releases, refunds. Each fact has its own key and is emitted once, when the block that last changed the order is
// confirmed.
import { asc, eq } from "drizzle-orm";
import { type Address, getAddress, isAddressEqual } from "viem";
import type { Actor } from "#core/audit/record-audit.ts";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { Config } from "#core/config/config.ts";
import {
  chainDeliveryProof,
  type DisputeRow,
  dispute,
  milestoneRelease,
  type OrderRow,
  refund,
} from "#core/db/chain.ts";
import type { Transaction } from "#core/db/client.ts";
import { deliveryProof, milestone } from "#core/db/schema/intents.ts";
import type { Draft } from "#core/events/record-events.ts";
import { orderIdOfIntent, toFactId } from "#core/ids.ts";
import { findWithdrawal } from "#core/intent/find-withdrawal.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { DISPUTE_SIDES, showChangingEscrowData, toEscrowId } from "#core/intent/show-escrow.ts";
import { showMilestone } from "#core/intent/show-milestone.ts";
import type { EventObject } from "#core/model/event-data.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import { formatAmount } from "#core/money.ts";

type Shown = Pick<Config, "minimums">;
type Fact = Draft & {
  /** Unix seconds. */
  at: number;
};

/** Whether the order has changed since its facts were emitted, and the change is confirmed. */
export const hasPendingFacts = ({ order, intent, head, facts }: IntentView): boolean =>
  order !== null &&
  order.updatedBlockHash !== intent.escrowEmitted &&
  countConfirmations(head, order.updatedBlock) >= facts.confirmations;

/** Returns the role of an account in an order. */
function findActor({ terms, order }: IntentView, account: Address): Actor {
  const id = getAddress(account);
  const is = (other: Address | undefined) => other !== undefined && isAddressEqual(other, account);
  if (is(terms.deliveryOracle)) return { type: "oracle", id };
  if (is(order?.payer)) return { type: "payer", id };
  if (is(terms.payee)) return { type: "payee", id };
  if (is(terms.operator)) return { type: "system", id };
  return is(terms.arbiter) ? { type: "arbiter", id } : { type: "account", id };
}

const orderObject = (view: IntentView, order: OrderRow, config: Shown): EventObject => ({
  object: "conditional_payment",
  ...showChangingEscrowData(view, config),
  releasedAmount: formatAmount(order.released, view.intent.currency),
  refundedAmount: formatAmount(order.refunded, view.intent.currency),
});

function ofOrder(order: OrderRow, object: EventObject): Fact[] {
  const once = (type: Fact["type"], at: number): Fact => ({ type, at, decidedBy: "", data: { object } });
  return [
    ...(order.shippedAt === null ? [] : [once("conditional_payment.shipped", order.shippedAt)]),
    ...(order.releasedAt === null ? [] : [once("conditional_payment.released", order.releasedAt)]),
  ];
}

/**
 * Returns a fact if no bank accepts the released amount: the merchant and the payee must know that the payee has to
 * withdraw it on chain.
 */
function findLeftToWithdraw(
  { intent }: IntentView,
  order: OrderRow,
  object: EventObject,
  config: Shown,
): Fact[] {
  if (!findWithdrawal(config, intent, order)) return [];
  const type = "conditional_payment.withdrawal_required";
  return [{ type, at: order.updatedAt, decidedBy: String(order.released), data: { object } }];
}

/** Resolutions by the contract's cause (contracts/IDeliveryVsPayment.sol, Cause). Without a cause, a party conceded. */
const RESOLUTIONS: Record<number, string> = { 7: "ARBITER", 8: "AGREEMENT", 9: "TIMEOUT" };

function nameResolution({ resumed, cause }: DisputeRow): string {
  return resumed ? "TIMEOUT" : (RESOLUTIONS[cause ?? -1] ?? "CONCESSION");
}

/** A dispute that ends with a concession has no amounts of its own: the order's amounts show the outcome. */
function describeOutcome({ resumed, payeeAmount, payerAmount }: DisputeRow, order: OrderRow): string {
  if (resumed) return "RESUMED";
  const refunded = payerAmount ?? (ORDER_STATUSES[order.status] === "Cancelled" ? order.refunded : 0n);
  if (refunded === 0n) return "MERCHANT_WON";
  return payeeAmount !== null && payeeAmount > 0n ? "PARTIAL_REFUND" : "BUYER_WON";
}

function ofDispute(view: IntentView, order: OrderRow, row: DisputeRow): Fact[] {
  const { currency } = view.intent;
  const latest = row.side === order.disputeSide;
  const raisedBy = latest && view.disputeRaisedBy ? view.disputeRaisedBy : row.actor;
  const dispute = {
    object: "dispute",
    id: toEscrowId(view).replace("escrow_", "dispute_"),
    conditionalPaymentId: toEscrowId(view),
    paymentIntentId: view.intent.id,
    disputeSide: DISPUTE_SIDES[row.side] ?? null,
    disputeReason: row.reason,
    disputeRaisedBy: getAddress(raisedBy),
    disputeRaisedAt: String(row.raisedAt),
    disputeDeadline: String(row.deadline),
  };
  const decidedBy = String(row.side);
  const raised: Fact = {
    type: "dispute.raised",
    at: row.raisedAt,
    decidedBy,
    data: { object: { ...dispute, status: "raised" } },
    actor: findActor(view, row.actor),
  };
  const open = latest && ORDER_STATUSES[order.status] === "Disputed";
  if (open) return [raised];
  const amounts = {
    releasedAmount: formatAmount(order.released, currency),
    refundedAmount: formatAmount(order.refunded, currency),
  };
  const resolution = nameResolution(row);
  const object = {
    ...dispute,
    status: "resolved",
    outcome: describeOutcome(row, order),
    resolution,
    ...amounts,
  };
  const at = row.endedAt ?? order.releasedAt ?? order.endedAt ?? order.updatedAt;
  const before = { previousAttributes: { status: "raised" } };
  const actor = resolution === "ARBITER" ? { actor: findActor(view, view.terms.arbiter) } : {};
  return [raised, { type: "dispute.resolved", at, decidedBy, data: { object, ...before }, ...actor }];
}

async function ofDisputes(tx: Transaction, view: IntentView, order: OrderRow): Promise<Fact[]> {
  if (order.disputeSide === null) return [];
  const rows = await tx.select().from(dispute).where(eq(dispute.orderId, order.id));
  return rows.flatMap((row) => ofDispute(view, order, row));
}

/** Each refund is a separate fact, because a payment may have several partial refunds. */
async function ofRefunds(
  tx: Transaction,
  view: IntentView,
  order: OrderRow,
  object: EventObject,
): Promise<Fact[]> {
  if (order.refunds === 0) return [];
  const rows = await tx.select().from(refund).where(eq(refund.orderId, order.id));
  return rows.map((row) => ({
    type: "conditional_payment.refunded",
    at: row.refundedAt,
    decidedBy: toFactId(row.orderId, row.number),
    actor: findActor(view, row.actor),
    data: { object: { ...object, refundAmount: formatAmount(row.amount, view.intent.currency) } },
  }));
}

async function ofProofs(tx: Transaction, view: IntentView): Promise<Fact[]> {
  const { id } = view.intent;
  const orderId = orderIdOfIntent(id);
  const proofs = await tx.select().from(chainDeliveryProof).where(eq(chainDeliveryProof.orderId, orderId));
  if (proofs.length === 0) return [];
  const said = await tx.select().from(deliveryProof).where(eq(deliveryProof.intentId, id));
  return proofs.map((proof) => ({
    type: "delivery_proof.submitted",
    at: proof.submittedAt,
    decidedBy: toFactId(orderId, proof.number),
    actor: findActor(view, proof.submittedBy),
    data: {
      object: {
        object: "delivery_proof",
        id:
          said.find((row) => row.submitTxHash === proof.txHash)?.id ??
          `proof_${toFactId(orderId, proof.number)}`,
        conditionalPaymentId: toEscrowId(view),
        paymentIntentId: id,
        proofHash: proof.proofHash,
        proofURI: proof.proofUri || null,
        submittedBy: getAddress(proof.submittedBy),
        submittedAt: String(proof.submittedAt),
        submitTxHash: proof.txHash,
        proven: proof.proven,
      },
    },
  }));
}

/** Returns the planned milestones that each release completed, or the release itself if it completed none. */
async function ofMilestones(tx: Transaction, view: IntentView): Promise<Fact[]> {
  const { id, currency } = view.intent;
  const orderId = orderIdOfIntent(id);
  const releases = await tx.select().from(milestoneRelease).where(eq(milestoneRelease.orderId, orderId));
  if (releases.length === 0) return [];
  const planned = await tx
    .select()
    .from(milestone)
    .where(eq(milestone.intentId, id))
    .orderBy(asc(milestone.milestoneIndex));
  let total = 0n;
  const ends = planned.map((row) => {
    total += row.amount;
    return { row, end: total };
  });
  return releases.flatMap((release) => {
    const releaseId = toFactId(orderId, release.number);
    const fact = (shown: Record<string, unknown>, amount: bigint, decidedBy: string): Fact => ({
      type: "milestone.released",
      at: release.releasedAt,
      decidedBy,
      actor: findActor(view, release.actor),
      data: {
        object: {
          object: "milestone",
          conditionalPaymentId: toEscrowId(view),
          paymentIntentId: id,
          ...shown,
          amount: formatAmount(amount, currency),
        },
      },
    });
    const completed = ends.filter(
      (milestone) => milestone.end > release.released - release.amount && milestone.end <= release.released,
    );
    if (completed.length === 0) {
      const shown = { id: `milestone_${releaseId}`, milestoneIndex: null, status: "RELEASED" };
      return [fact(shown, release.amount, releaseId)];
    }
    return completed.map(({ row }) =>
      fact(showMilestone(view, { ...row, released: true }), row.amount, `${releaseId} ${row.id}`),
    );
  });
}

/** Returns every fact of the order so far, oldest first. */
export async function escrowFacts(tx: Transaction, view: IntentView, config: Shown): Promise<Draft[]> {
  const { order, intent } = view;
  if (!order || intent.type !== "DELIVERY_VS_PAYMENT") return [];
  const object = orderObject(view, order, config);
  const facts = [
    ...(await ofProofs(tx, view)),
    ...(await ofMilestones(tx, view)),
    ...(await ofDisputes(tx, view, order)),
    ...(await ofRefunds(tx, view, order, object)),
    ...ofOrder(order, object),
    ...findLeftToWithdraw(view, order, object, config),
  ];
  return facts.sort((a, b) => a.at - b.at).map(({ at: _, ...draft }) => draft);
}
