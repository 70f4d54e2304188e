// What an intent's `data` holds (spec, "Payment intent"): in the API's answers, and in events as it was at the time.
import { type Address, getAddress, zeroAddress } from "viem";
import { ORDER_STATUSES } from "../chain/terms.ts";
import {
  deliveryVsPaymentTypedData,
  type PayerTypedData,
  paymentIntentTypedData,
} from "../chain/typed-data.ts";
import type { Config } from "../config.ts";
import type { IntentView } from "../db/read-intent.ts";
import { formatAmount } from "../money.ts";
import { phasesOf } from "./phases.ts";

type Shown = Pick<Config, "chain" | "paymentPageUrl">;

export type Audience = "merchant" | "public";

/** Anybody who has the link reads a live intent, and anybody reads a funded one's id on chain (design, "public retrieve"). */
const isMasked = ({ intent, order }: IntentView, audience: Audience): boolean =>
  audience === "public" && (intent.mode === "live" || order !== null);

const unix = (moment: Date): number => Math.floor(moment.getTime() / 1000);

/** The typed data that the payer signs; a known payer is filled in, and always the one that the terms name. */
export function typedDataOf(
  view: IntentView,
  config: Pick<Config, "chain">,
  asked?: Address,
): PayerTypedData {
  const { id, type } = view.intent;
  const payer = view.terms.payer === zeroAddress ? asked : getAddress(view.terms.payer);
  const { id: chainId, contract } = config.chain;
  return type === "CONDITIONAL"
    ? paymentIntentTypedData(chainId, contract, id, view.terms)
    : deliveryVsPaymentTypedData(chainId, contract, id, view.terms, payer);
}

function phasesShown(view: IntentView, config: Shown) {
  const { intent, order, head, funding, facts, payouts } = view;
  return phasesOf({
    status: view.status,
    escrow: intent.type === "DELIVERY_VS_PAYMENT",
    createdAt: unix(intent.createdAt),
    signedAt: intent.signedAt === null ? null : unix(intent.signedAt),
    fundingFailedAt: facts.funding === "failed" ? (funding?.updatedAt ?? view.updated) : null,
    order,
    head,
    confirmations: config.chain.confirmations,
    confirmedAt: view.succeededAt,
    paidOutAt: payouts?.completedAt ?? order?.endedAt ?? null,
  });
}

/** The last four characters of what is long enough to hide more than it shows. */
function mask(text: string): string {
  const shown = text.length < 8 ? "" : text.slice(-4);
  return `${"*".repeat(Math.min(text.length - shown.length, 12))}${shown}`;
}

export function metadataOf(view: IntentView, audience: Audience = "merchant"): Record<string, unknown> {
  const own = isMasked(view, audience)
    ? Object.fromEntries(Object.entries(view.intent.metadata).filter(([key]) => !key.startsWith("private_")))
    : view.intent.metadata;
  return { ...own, tokenAddress: view.terms.token, contractMerchantId: view.terms.payee };
}

export function intentDataOf(
  view: IntentView,
  config: Shown,
  { audience = "merchant", payer }: { audience?: Audience; payer?: Address | undefined } = {},
) {
  const { intent, status, settlementStatus, transactionHash, updated, order } = view;
  const signer = intent.signer ?? order?.payer ?? null;
  return {
    id: intent.id,
    object: "payment_intent" as const,
    merchantId: intent.merchantId,
    status,
    amount: formatAmount(intent.amount, intent.currency),
    currency: intent.currency,
    type: intent.type,
    ...(intent.description === null ? {} : { description: intent.description }),
    settlementMethod: intent.settlementMethod,
    settlementDestination: isMasked(view, audience)
      ? mask(intent.settlementDestination)
      : intent.settlementDestination,
    settlementStatus,
    disputed: order !== null && ORDER_STATUSES[order.status] === "Disputed",
    contractAddress: config.chain.contract,
    transactionHash,
    chainId: config.chain.id,
    typedData: typedDataOf(view, config, payer),
    signature: intent.signature,
    fundingMethod: intent.fundingMethod,
    payerAddress: view.terms.payer === zeroAddress ? null : getAddress(view.terms.payer),
    signerAddress: signer === null ? null : getAddress(signer),
    phases: phasesShown(view, config),
    metadata: metadataOf(view, audience),
    returnUrl: intent.returnUrl,
    cancelUrl: intent.cancelUrl,
    paymentUrl: `${config.paymentPageUrl}/?intent=${intent.id}`,
    estimatedFee: intent.estimatedFee,
    estimatedDeliveryTime: intent.estimatedDeliveryTime,
    created: unix(intent.createdAt),
    updated,
  };
}
