// Shows an intent as the spec's envelope, from the read model's view of it.
import type { Static } from "@sinclair/typebox";
import type { Address } from "viem";
import { getAddress } from "viem";
import {
  deliveryVsPaymentTypedData,
  type PayerTypedData,
  paymentIntentTypedData,
} from "#core/chain/typed-data.ts";
import type { Config } from "#core/config.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { phasesOf } from "#core/intent/phases.ts";
import { formatAmount } from "#core/money.ts";
import type { IntentEnvelope } from "./schemas.ts";

export type Envelope = Static<typeof IntentEnvelope>;

const unix = (moment: Date): number => Math.floor(moment.getTime() / 1000);

/** The typed data that the payer signs; a known payer is filled in. */
export function typedDataOf(view: IntentView, config: Config, payer?: Address): PayerTypedData {
  const { id, type } = view.intent;
  const { id: chainId, contract } = config.chain;
  return type === "CONDITIONAL"
    ? paymentIntentTypedData(chainId, contract, id, view.terms)
    : deliveryVsPaymentTypedData(chainId, contract, id, view.terms, payer);
}

function phasesShown(view: IntentView, config: Config) {
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

/** What a stranger may see of a funded intent, whose id everybody can read on chain (design, "public retrieve"). */
export type Audience = "merchant" | "public";

/** The last four characters of what is long enough to hide more than it shows. */
function mask(text: string): string {
  const shown = text.length < 8 ? "" : text.slice(-4);
  return `${"*".repeat(Math.min(text.length - shown.length, 12))}${shown}`;
}

function metadataShown(view: IntentView, audience: Audience) {
  const own =
    audience === "public" && view.order
      ? Object.fromEntries(
          Object.entries(view.intent.metadata).filter(([key]) => !key.startsWith("private_")),
        )
      : view.intent.metadata;
  return { ...own, tokenAddress: view.terms.token, contractMerchantId: view.terms.payee };
}

export function envelopeOf(
  view: IntentView,
  config: Config,
  { audience = "merchant", payer }: { audience?: Audience; payer?: Address | undefined } = {},
): Envelope {
  const { intent, status, settlementStatus, transactionHash, updated, order } = view;
  const phases = phasesShown(view, config);
  const created = unix(intent.createdAt);
  const hidden = audience === "public" && order !== null;
  const signer = intent.signer ?? order?.payer ?? null;
  return {
    id: intent.id,
    object: "payment_intent",
    status,
    transactionHash,
    settlementStatus,
    phases,
    created,
    updated,
    data: {
      id: intent.id,
      object: "payment_intent",
      merchantId: intent.merchantId,
      status,
      amount: formatAmount(intent.amount, intent.currency),
      currency: intent.currency,
      type: intent.type,
      ...(intent.description === null ? {} : { description: intent.description }),
      settlementMethod: intent.settlementMethod,
      settlementDestination: hidden ? mask(intent.settlementDestination) : intent.settlementDestination,
      settlementStatus,
      contractAddress: config.chain.contract,
      transactionHash,
      chainId: config.chain.id,
      typedData: typedDataOf(view, config, payer) as unknown as Envelope["data"]["typedData"],
      signature: intent.signature,
      signerAddress: signer === null ? null : getAddress(signer),
      phases,
      metadata: metadataShown(view, audience),
      paymentUrl: `${config.paymentPageUrl}/?intent=${intent.id}`,
      estimatedFee: intent.estimatedFee,
      estimatedDeliveryTime: intent.estimatedDeliveryTime,
      created,
      updated,
    },
  };
}
