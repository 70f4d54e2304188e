// The phases that an intent has gone through, derived from the same facts as its status (spec, "Phases").
import type { OrderRow } from "../db/chain.ts";
import type { IntentStatus } from "../model/intent-status.ts";
import { countConfirmations } from "../model/intent-status.ts";

export type PhaseName =
  | "SIGNATURE_VERIFICATION"
  | "BLOCKCHAIN_CONFIRMATION"
  | "ESCROW_LOCKED"
  | "AWAITING_DELIVERY_PROOF"
  | "SETTLEMENT";

export type Phase = {
  phase: PhaseName;
  status: "IN_PROGRESS" | "COMPLETED" | "FAILED";
  /** Unix seconds. */
  startedAt?: number;
  completedAt?: number;
};

export type PhaseFacts = {
  status: IntentStatus;
  escrow: boolean;
  createdAt: number;
  /** When the relayed signature was verified; null when the payer called the contract. */
  signedAt: number | null;
  fundingFailedAt: number | null;
  order: Pick<
    OrderRow,
    "status" | "createdAt" | "createdBlock" | "deliveredAt" | "releasedAt" | "endedAt" | "disputeRaisedAt"
  > | null;
  head: { block: number };
  confirmations: number;
  /** The time of block `createdBlock + confirmations - 1`, as precisely as known. */
  confirmedAt: number | null;
  paidOutAt: number | null;
};

const CANCELLED = 5;

const done = (phase: PhaseName, startedAt: number, completedAt: number | null): Phase => ({
  phase,
  status: "COMPLETED",
  startedAt,
  ...(completedAt === null ? {} : { completedAt }),
});
const open = (phase: PhaseName, startedAt: number): Phase => ({ phase, status: "IN_PROGRESS", startedAt });
const failed = (phase: PhaseName, startedAt: number, completedAt: number | null): Phase => ({
  phase,
  status: "FAILED",
  startedAt,
  ...(completedAt === null ? {} : { completedAt }),
});

export function derivePhases(facts: PhaseFacts): Phase[] {
  const { order, status, createdAt } = facts;
  const signedAt = facts.signedAt ?? order?.createdAt ?? null;
  const ended = status === "CANCELED" && !order;
  if (signedAt === null) {
    return [
      ended ? failed("SIGNATURE_VERIFICATION", createdAt, null) : open("SIGNATURE_VERIFICATION", createdAt),
    ];
  }
  const phases = [done("SIGNATURE_VERIFICATION", createdAt, signedAt)];
  if (!order) {
    const hopeless = facts.fundingFailedAt !== null || ended;
    phases.push(
      hopeless
        ? failed("BLOCKCHAIN_CONFIRMATION", signedAt, facts.fundingFailedAt)
        : open("BLOCKCHAIN_CONFIRMATION", signedAt),
    );
    return phases;
  }
  if (countConfirmations(facts.head, order.createdBlock) < facts.confirmations) {
    phases.push(open("BLOCKCHAIN_CONFIRMATION", signedAt));
    return phases;
  }
  const confirmedAt = facts.confirmedAt ?? order.createdAt;
  phases.push(done("BLOCKCHAIN_CONFIRMATION", signedAt, confirmedAt));
  if (facts.escrow)
    phases.push(done("ESCROW_LOCKED", order.createdAt, confirmedAt), deriveDelivery(order, confirmedAt));
  if (status === "SETTLED" || status === "FINAL") {
    phases.push(done("SETTLEMENT", confirmedAt, facts.paidOutAt));
  } else if (status === "REQUIRES_ACTION") {
    phases.push(failed("SETTLEMENT", confirmedAt, null));
  } else if (status === "SUCCEEDED") {
    phases.push(open("SETTLEMENT", confirmedAt));
  }
  return phases;
}

function deriveDelivery(order: NonNullable<PhaseFacts["order"]>, startedAt: number): Phase {
  const over = order.deliveredAt ?? order.releasedAt;
  if (over !== null) return done("AWAITING_DELIVERY_PROOF", Math.min(startedAt, over), over);
  if (order.status === CANCELLED) return failed("AWAITING_DELIVERY_PROOF", startedAt, order.endedAt);
  return open("AWAITING_DELIVERY_PROOF", startedAt);
}
