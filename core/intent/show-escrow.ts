// The `data` of an escrow order (spec, "Conditional payment"), in API responses and in events.
import { type Address, getAddress, zeroAddress } from "viem";
import { RELEASE_TYPES } from "../chain/terms.ts";
import type { Config } from "../config/config.ts";
import { orderIdOfIntent } from "../ids.ts";
import { deriveOrderStatus } from "../model/order-status.ts";
import { formatAmount } from "../money.ts";
import { findWithdrawal } from "./find-withdrawal.ts";
import type { IntentRow, IntentView } from "./read-intent.ts";

/** Default length of a dispute, in seconds (spec, "Limits"). */
export const DEFAULT_DISPUTE_WINDOW = 604_800;

/** The contract's `Side`, by number. */
export const DISPUTE_SIDES = ["PAYER", "MERCHANT"] as const;

/** The escrow's id, which corresponds one-to-one to the intent's id. */
export const toEscrowId = ({ intent }: IntentView): string => intent.id.replace("intent_", "escrow_");

const text = (value: number | null | undefined): string | null => (value == null ? null : String(value));
const account = (address: Address | null | undefined): Address | null =>
  address ? getAddress(address) : null;

/** The fields of an escrow's data that never change and are not stored in events. */
export function showFixedEscrowData(intent: IntentRow, contract: Address) {
  const { terms } = intent;
  return {
    paymentIntentId: intent.id,
    orderId: BigInt(orderIdOfIntent(intent.id)).toString(),
    merchantId: intent.merchantId,
    contractAddress: contract,
    tokenAddress: terms.token,
    amount: formatAmount(intent.amount, intent.currency),
    deliveryPeriod: terms.deliveryPeriod,
    expectedDeliveryHash: terms.expectedDeliveryHash,
    autoReleaseOnProof: terms.autoReleaseOnProof,
    ...(terms.deliveryOracle === zeroAddress ? {} : { deliveryOracle: getAddress(terms.deliveryOracle) }),
    releaseType: RELEASE_TYPES[terms.releaseType] ?? "DELIVERY_PROOF",
    timeLockUntil: terms.timeLockUntil === 0 ? null : String(terms.timeLockUntil),
    createdAt: intent.createdAt.toISOString(),
  };
}

/** The fields that are stored in events. */
export function showChangingEscrowData(view: IntentView, config: Pick<Config, "minimums">) {
  const { intent, terms, order } = view;
  const { orderStatus, settlementStatus } = deriveOrderStatus(order, view.status === "FINAL");
  const withdrawal = findWithdrawal(config, intent, order);
  const disputeWindow =
    order?.disputeDeadline != null && order.disputeRaisedAt !== null
      ? order.disputeDeadline - order.disputeRaisedAt
      : DEFAULT_DISPUTE_WINDOW;
  return {
    id: toEscrowId(view),
    buyerAddress: account(order?.payer),
    // Before funding, this is the latest possible deadline.
    deliveryDeadline: String(order?.deliveryDeadline ?? terms.fundingDeadline + terms.deliveryPeriod),
    actualDeliveryHash: order?.deliveryHash ?? null,
    releasedAmount: formatAmount(order?.released ?? 0n, intent.currency),
    refundedAmount: formatAmount(order?.refunded ?? 0n, intent.currency),
    ...(withdrawal && {
      withdrawal: { amount: formatAmount(withdrawal.amount, intent.currency), reason: withdrawal.reason },
    }),
    orderStatus,
    settlementStatus,
    disputeWindow: String(disputeWindow),
    disputeRaisedAt: text(order?.disputeRaisedAt),
    disputeReason: order?.disputeReason ?? null,
    disputeRaisedBy: account(view.disputeRaisedBy),
    disputeSide: order?.disputeSide == null ? null : (DISPUTE_SIDES[order.disputeSide] ?? null),
    createTxHash: order?.createTxHash ?? null,
    funded: order !== null,
    releasedAt: text(order?.releasedAt),
    settlementScheduledAt: text(order?.releasedAt),
    updatedAt: new Date(view.updated * 1000).toISOString(),
  };
}

export const showEscrow = (view: IntentView, config: Pick<Config, "chain" | "minimums">) => ({
  ...showFixedEscrowData(view.intent, config.chain.contract),
  ...showChangingEscrowData(view, config),
});
