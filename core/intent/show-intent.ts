// The `data` of an intent (spec, "Payment intent") in API responses and, as of the time of the event, in events.
import { type Address, getAddress, zeroAddress } from "viem";
import { ORDER_STATUSES, restoreTerms, type Terms } from "../chain/terms.ts";
import {
  deliveryVsPaymentTypedData,
  type PayerTypedData,
  paymentIntentTypedData,
} from "../chain/typed-data.ts";
import type { Config } from "../config/config.ts";
import { toUnixSeconds } from "../model/unix-time.ts";
import { formatAmount } from "../money.ts";
import { derivePhases } from "./phases.ts";
import type { IntentRow, IntentView } from "./read-intent.ts";
import { showMerchantStatus } from "./show-merchant-status.ts";

type Shown = Pick<Config, "chain" | "paymentPageUrl">;

export type Audience = "merchant" | "public";

/**
 * Whether sensitive fields are masked. Anyone with the link can read a live intent, and anyone can read the id of a
 * funded intent on chain (docs/decisions/0011-public-routes.md).
 */
const isMasked = ({ intent, order }: IntentView, audience: Audience): boolean =>
  audience === "public" && (intent.mode === "live" || order !== null);

/** The chain and the contract of an intent's order. */
export type OrderLocation = Pick<Config["chain"], "id" | "contract">;

/** Builds the typed data that the payer signs. It includes the payer if the terms or the caller name one. */
function showTypedData(
  { id, type, terms: stored }: IntentRow,
  { id: chainId, contract }: OrderLocation,
  asked?: Address,
) {
  const terms = restoreTerms(stored);
  const payer = terms.payer === zeroAddress ? asked : getAddress(terms.payer);
  return type === "CONDITIONAL"
    ? paymentIntentTypedData(chainId, contract, id, terms)
    : deliveryVsPaymentTypedData(chainId, contract, id, terms, payer);
}

export const buildTypedData = (
  view: IntentView,
  { chain }: Pick<Config, "chain">,
  asked?: Address,
): PayerTypedData => showTypedData(view.intent, chain, asked);

function phasesShown(view: IntentView, config: Shown) {
  const { intent, order, head, funding, facts, payouts } = view;
  return derivePhases({
    status: view.status,
    escrow: intent.type === "DELIVERY_VS_PAYMENT",
    createdAt: toUnixSeconds(intent.createdAt),
    signedAt: intent.signedAt === null ? null : toUnixSeconds(intent.signedAt),
    fundingFailedAt: facts.funding === "failed" ? (funding?.updatedAt ?? view.updated) : null,
    order,
    head,
    confirmations: config.chain.confirmations,
    confirmedAt: view.emitted.succeededAt,
    paidOutAt: payouts?.completedAt ?? order?.endedAt ?? null,
  });
}

/**
 * Masks a text except for its last four characters. A short text is masked completely, so that at least as much is
 * hidden as shown.
 */
function mask(text: string): string {
  const shown = text.length < 8 ? "" : text.slice(-4);
  return `${"*".repeat(Math.min(text.length - shown.length, 12))}${shown}`;
}

/** Metadata that every payment shows in addition to the merchant's own. */
export const showFixedMetadata = ({ token, payee }: Pick<Terms, "token" | "payee">) => ({
  tokenAddress: token,
  contractMerchantId: payee,
});

export function showMetadata(view: IntentView, audience: Audience = "merchant"): Record<string, unknown> {
  const own = isMasked(view, audience)
    ? Object.fromEntries(Object.entries(view.intent.metadata).filter(([key]) => !key.startsWith("private_")))
    : view.intent.metadata;
  return { ...own, ...showFixedMetadata(view.terms) };
}

/** The fields of an intent's data that never change and are not stored in events. */
export function showFixedIntentData(
  intent: IntentRow,
  place: OrderLocation,
  { paymentPageUrl }: Pick<Config, "paymentPageUrl">,
  payer?: Address,
) {
  return {
    id: intent.id,
    object: "payment_intent" as const,
    merchantId: intent.merchantId,
    amount: formatAmount(intent.amount, intent.currency),
    currency: intent.currency,
    type: intent.type,
    settlementMethod: intent.settlementMethod,
    settlementDestination: intent.settlementDestination,
    contractAddress: place.contract,
    chainId: place.id,
    typedData: showTypedData(intent, place, payer),
    payerAddress: intent.terms.payer === zeroAddress ? null : getAddress(intent.terms.payer),
    returnUrl: intent.returnUrl,
    cancelUrl: intent.cancelUrl,
    paymentUrl: `${paymentPageUrl}/?intent=${intent.id}`,
    estimatedFee: intent.estimatedFee,
    estimatedDeliveryTime: intent.estimatedDeliveryTime,
    expiresAt: intent.terms.fundingDeadline,
    created: toUnixSeconds(intent.createdAt),
  };
}

/** The fields that are stored in events, besides the metadata. */
export function showChangingIntentData(view: IntentView, config: Shown) {
  const { intent, status, settlementStatus, transactionHash, updated, order } = view;
  const signer = intent.signer ?? order?.payer ?? null;
  return {
    object: "payment_intent" as const,
    status,
    ...(intent.description === null ? {} : { description: intent.description }),
    merchantStatus: showMerchantStatus(view),
    settlementStatus,
    disputed: order !== null && ORDER_STATUSES[order.status] === "Disputed",
    transactionHash,
    signature: intent.signature,
    fundingMethod: intent.fundingMethod,
    signerAddress: signer === null ? null : getAddress(signer),
    phases: phasesShown(view, config),
    updated,
  };
}

export function showIntent(
  view: IntentView,
  config: Shown,
  { audience = "merchant", payer }: { audience?: Audience; payer?: Address | undefined } = {},
) {
  const fixed = showFixedIntentData(view.intent, config.chain, config, payer);
  return {
    ...fixed,
    ...showChangingIntentData(view, config),
    metadata: showMetadata(view, audience),
    settlementDestination: isMasked(view, audience)
      ? mask(fixed.settlementDestination)
      : fixed.settlementDestination,
  };
}
