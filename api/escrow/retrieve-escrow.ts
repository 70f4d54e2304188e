// Get the conditional payment of an intent (spec, operation 6).
import type { Static } from "@sinclair/typebox";
import { type Address, getAddress, zeroAddress } from "viem";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import type { Config } from "#core/config.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { invalidRequest } from "#core/errors.ts";
import { showOrderStatus } from "#core/intent/order-status.ts";
import { formatAmount } from "#core/money.ts";
import type { Call } from "../http/call.ts";
import { findOwnIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { ConditionalPaymentEnvelope } from "./schemas.ts";

type Escrow = Static<typeof ConditionalPaymentEnvelope>;

/** Seconds that a dispute lasts unless its raiser says otherwise (spec, "Limits"). */
export const DEFAULT_DISPUTE_WINDOW = 604_800;

/** The escrow's own id: it belongs to its intent, one to one. */
export const escrowIdOf = ({ intent }: IntentView): string => intent.id.replace("intent_", "escrow_");

/** @throws ServiceError 400 for an intent without an escrow order */
export function requireEscrow(view: IntentView): void {
  if (view.intent.type !== "DELIVERY_VS_PAYMENT") {
    throw invalidRequest("This payment intent has no escrow: it is not of type DELIVERY_VS_PAYMENT.");
  }
}

const text = (value: number | null | undefined): string | null => (value == null ? null : String(value));
const account = (address: Address | null | undefined): Address | null =>
  address ? getAddress(address) : null;

export function escrowOf(view: IntentView, config: Config): Escrow {
  const { intent, terms, order } = view;
  const id = escrowIdOf(view);
  const { orderStatus, settlementStatus } = showOrderStatus(order, view.status === "FINAL");
  const disputeWindow =
    order?.disputeDeadline != null && order.disputeRaisedAt !== null
      ? order.disputeDeadline - order.disputeRaisedAt
      : DEFAULT_DISPUTE_WINDOW;
  return {
    id,
    object: "conditional_payment",
    data: {
      id,
      paymentIntentId: intent.id,
      orderId: BigInt(intent.orderId).toString(),
      merchantId: intent.merchantId,
      contractAddress: config.chain.contract,
      buyerAddress: account(order?.payer),
      tokenAddress: terms.token,
      amount: formatAmount(intent.amount, intent.currency),
      deliveryPeriod: terms.deliveryPeriod,
      // Before funding: the latest that it can become.
      deliveryDeadline: String(order?.deliveryDeadline ?? terms.fundingDeadline + terms.deliveryPeriod),
      expectedDeliveryHash: terms.expectedDeliveryHash,
      actualDeliveryHash: order?.deliveryHash ?? null,
      autoReleaseOnProof: terms.autoReleaseOnProof,
      ...(terms.deliveryOracle === zeroAddress ? {} : { deliveryOracle: getAddress(terms.deliveryOracle) }),
      releaseType: (RELEASE_TYPES[terms.releaseType] ?? "DELIVERY_PROOF") as Escrow["data"]["releaseType"],
      timeLockUntil: terms.timeLockUntil === 0 ? null : String(terms.timeLockUntil),
      orderStatus,
      settlementStatus,
      disputeWindow: String(disputeWindow),
      disputeRaisedAt: text(order?.disputeRaisedAt),
      disputeReason: order?.disputeReason ?? null,
      disputeRaisedBy: account(order?.disputeRaisedBy),
      createTxHash: order?.createTxHash ?? null,
      releasedAt: text(order?.releasedAt),
      settlementScheduledAt: text(order?.releasedAt),
      createdAt: intent.createdAt.toISOString(),
      updatedAt: new Date(view.updated * 1000).toISOString(),
    },
  };
}

/** An intent of the caller's that has an escrow. */
export async function findOwnEscrow(services: Services, call: Call): Promise<IntentView> {
  const view = await findOwnIntent(services, call);
  requireEscrow(view);
  return view;
}

export async function retrieveEscrow(services: Services, call: Call): Promise<Escrow> {
  return escrowOf(await findOwnEscrow(services, call), services.config);
}
