// An intent's status. It is derived from facts by the first condition that holds, and never stored
// (docs/architecture.md).

export const INTENT_STATUSES = [
  "INITIATED",
  "REQUIRES_SIGNATURE",
  "PROCESSING",
  "SUCCEEDED",
  "SETTLED",
  "FINAL",
  "CANCELED",
  "REQUIRES_ACTION",
] as const;
export type IntentStatus = (typeof INTENT_STATUSES)[number];

export type IntentSettlementStatus = "PENDING" | "IN_PROGRESS" | "COMPLETED" | "FAILED";

/** The facts that determine a status. Times are in Unix seconds, and amounts are in the smallest unit. */
export type IntentFacts = {
  amount: bigint;
  /**
   * The last recorded status. The outcome of a bank payment is emitted once, while its cause on chain may be reorged.
   */
  lastSeen: IntentStatus;
  canceled: boolean;
  payerAttached: boolean;
  fundingDeadline: number;
  /** The outcome of the relayer's (or the payer's own) funding transaction. */
  funding: "none" | "unresolved" | "failed";
  head: { block: number; timestamp: number };
  order: {
    status: number;
    createdBlock: number;
    updatedBlock: number;
    released: bigint;
    settled: bigint;
    withdrawn: bigint;
  } | null;
  /** The latest attempt of each settlement's payouts. */
  payouts: {
    /** Whether a provider has accepted a payout and has not yet reported whether the money arrived. */
    submitted: boolean;
    failed: boolean;
    completedAmount: bigint;
    /** When the last return window closes; null while a payout is not completed. */
    finalAt: number | null;
    /**
     * Whether the provider has not yet been queried for the outcome of a payout. For a completed payout, only a query
     * after the return window counts.
     */
    providerNotQueried: boolean;
  };
  /** The payment time (core/intent/payment-time.ts). */
  now: number;
  confirmations: number;
  /** The duration of `confirmations` blocks, in seconds. */
  confirmationTime: number;
};

export type DerivedStatus = { status: IntentStatus; settlementStatus: IntentSettlementStatus | null };

const COMPLETED = 4;
const CANCELLED = 5;

/** The number of confirmations of a block; the head itself has one. */
export const countConfirmations = (head: { block: number }, block: number): number =>
  Math.max(0, head.block - block + 1);

/** Whether everything that was released has been paid out, or withdrawn by the payee on chain. */
function isPaidOut({ order, payouts }: IntentFacts): boolean {
  if (!order) return false;
  const ended = order.status === COMPLETED || (order.status === CANCELLED && order.released > 0n);
  return (
    ended && order.settled + order.withdrawn === order.released && payouts.completedAmount === order.settled
  );
}

/** Whether a reorg removed a confirmed settlement whose payout a provider has accepted. */
function isReverted({ order, payouts, head, confirmations }: IntentFacts): boolean {
  if (payouts.failed || !(payouts.submitted || payouts.completedAmount > 0n)) return false;
  if (!order || countConfirmations(head, order.createdBlock) < confirmations) return true;
  return order.settled === 0n || order.settled < payouts.completedAmount;
}

/** Whether SETTLED was emitted and a bank still has the money, in which case no reorg changes the status. */
const wasSettled = ({ lastSeen, payouts }: IntentFacts): boolean =>
  (lastSeen === "SETTLED" || lastSeen === "FINAL") && payouts.completedAmount > 0n && !payouts.failed;

/** Whether no bank can still return a payout. */
const isKept = ({ payouts, now }: IntentFacts): boolean =>
  !payouts.providerNotQueried && payouts.finalAt !== null && payouts.finalAt <= now;

/** Whether nothing can change anymore, because the banks' return windows have ended and the order's block is final. */
function isFinal(facts: IntentFacts): boolean {
  const { amount, lastSeen, order, payouts, head, confirmations } = facts;
  // If the banks keep everything that was payable, the chain no longer changes the status.
  if (isKept(facts) && (payouts.completedAmount === amount || lastSeen === "FINAL")) return true;
  if (!order || !isPaidOut(facts) || countConfirmations(head, order.updatedBlock) < confirmations)
    return false;
  return isKept(facts) || (payouts.finalAt === null && !payouts.providerNotQueried);
}

export function deriveStatus(facts: IntentFacts): DerivedStatus {
  const { order, payouts, head, confirmations } = facts;
  const fundedDeep = order !== null && countConfirmations(head, order.createdBlock) >= confirmations;

  // A reorg that removes a settlement that a provider has paid or is paying causes a loss, but no event for the
  // merchant.
  const reversed = isReverted(facts);
  if ((fundedDeep && isPaidOut(facts)) || wasSettled(facts) || (reversed && !payouts.submitted)) {
    return { status: isFinal(facts) ? "FINAL" : "SETTLED", settlementStatus: "COMPLETED" };
  }
  if (reversed) return { status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" };
  if (payouts.failed) return { status: "REQUIRES_ACTION", settlementStatus: "FAILED" };
  if (facts.canceled) return { status: "CANCELED", settlementStatus: null };
  if (
    order?.status === CANCELLED &&
    order.released === 0n &&
    countConfirmations(head, order.updatedBlock) >= confirmations
  ) {
    return { status: "CANCELED", settlementStatus: null };
  }
  if (fundedDeep) return { status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" };
  if (order || facts.funding === "unresolved") return { status: "PROCESSING", settlementStatus: "PENDING" };
  if (facts.funding === "failed") return { status: "REQUIRES_ACTION", settlementStatus: "PENDING" };
  if (head.timestamp > facts.fundingDeadline + facts.confirmationTime) {
    return { status: "CANCELED", settlementStatus: null };
  }
  if (facts.payerAttached) return { status: "REQUIRES_SIGNATURE", settlementStatus: "PENDING" };
  return { status: "INITIATED", settlementStatus: "PENDING" };
}
