// Shows a payment to its payer, without data that the public does not need: destination, metadata and signature.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { type Address, getAddress } from "viem";
import { ORDER_STATUSES, type OrderStatus, RELEASE_TYPES, storeTerms } from "#core/chain/terms.ts";
import type { Config } from "#core/config/config.ts";
import type { OrderRow } from "#core/db/chain.ts";
import type { Database } from "#core/db/client.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { DISPUTE_SIDES } from "#core/intent/show-escrow.ts";
import { showIntent } from "#core/intent/show-intent.ts";
import { showMilestone } from "#core/intent/show-milestone.ts";
import { countConfirmations } from "#core/model/intent-status.ts";
import { type Currency, decimalsOf, formatAmount } from "#core/money.ts";
import type { FundingOffers } from "../funding/funding-offers.ts";
import type { ListedTokens } from "../funding/listed-tokens.ts";
import { loadMilestones } from "../milestones/milestones.ts";
import type { Credits } from "./credits.ts";
import type { Checkout } from "./schemas.ts";

export type CheckoutShown = Static<typeof Checkout>;

/** @throws Error if the contract does not have this status */
function nameOrderStatus(status: number): OrderStatus {
  const name = ORDER_STATUSES[status];
  if (!name) throw new Error(`Unknown order status: ${status}.`);
  return name;
}

function showOrder(
  order: OrderRow,
  raisedBy: Address | null,
  claimable: bigint,
  currency: Currency,
): CheckoutShown["data"]["order"] {
  const { shippedAt, deliveredAt, releasedAt, endedAt, disputeRaisedAt, disputeDeadline } = order;
  const { statusBeforeDispute } = order;
  return {
    status: nameOrderStatus(order.status),
    payer: getAddress(order.payer),
    fundingTransaction: order.createTxHash,
    latestTransaction: order.updatedTxHash,
    fundedAt: order.createdAt,
    deliveryDeadline: order.deliveryDeadline,
    proven: order.proven,
    shippedAt,
    deliveredAt,
    releasedAt,
    endedAt,
    released: formatAmount(order.released, currency),
    refunded: formatAmount(order.refunded, currency),
    disputeRaisedAt,
    disputeRaisedBy: raisedBy === null ? null : getAddress(raisedBy),
    disputeSide: order.disputeSide === null ? null : (DISPUTE_SIDES[order.disputeSide] ?? null),
    disputedByPayer: order.disputedByPayer,
    disputeReason: order.disputeReason,
    disputeDeadline,
    statusBeforeDispute: statusBeforeDispute === null ? null : nameOrderStatus(statusBeforeDispute),
    credit: formatAmount(claimable, currency),
  };
}

/** Returns the submitted signature's payer and funding method. A payer who is only attached has not signed anything. */
const showSigned = ({ intent: { signature, signer, fundingMethod } }: IntentView) =>
  signature === null || signer === null || fundingMethod === null
    ? null
    : { payer: getAddress(signer), fundingMethod };

/** Returns the confirmations of the funding transaction, up to the required number. */
const showConfirmations = ({ order, head }: IntentView, required: number) => ({
  seen: order ? Math.min(countConfirmations(head, order.createdBlock), required) : 0,
  required,
});

async function milestonesShown(database: Database, view: IntentView) {
  if (RELEASE_TYPES[view.terms.releaseType] !== "MILESTONE_LOCKED") return [];
  const rows = await loadMilestones(database, view);
  return rows.map((row) => {
    const { milestoneIndex: index, description, amount, status } = showMilestone(view, row);
    return { index, description, amount, status };
  });
}

export type CheckoutSources = {
  database: Database;
  config: Config;
  offers: FundingOffers;
  listedTokens: ListedTokens;
};

export async function showCheckout(
  { database, config, offers, listedTokens }: CheckoutSources,
  view: IntentView,
  credits: Credits,
): Promise<CheckoutShown> {
  const data = showIntent(view, config, { audience: "public" });
  const [payee] = await database
    .select({ name: merchant.name, logoUrl: merchant.logoUrl, supportEmail: merchant.supportEmail })
    .from(merchant)
    .where(eq(merchant.id, view.intent.merchantId));
  return {
    id: data.id,
    object: "checkout",
    status: data.status,
    data: {
      merchantName: payee?.name ?? "",
      merchantLogoUrl: payee?.logoUrl ?? null,
      supportEmail: payee?.supportEmail ?? null,
      amount: data.amount,
      currency: data.currency,
      decimals: decimalsOf(data.currency),
      type: data.type,
      description: data.description ?? null,
      returnUrl: data.returnUrl,
      cancelUrl: data.cancelUrl,
      estimatedFee: data.estimatedFee,
      estimatedDeliveryTime: data.estimatedDeliveryTime,
      chainId: data.chainId,
      contractAddress: data.contractAddress,
      network: config.network,
      testMode: config.chain.simulated,
      fundingMethods: [
        { method: "ALLOWANCE", domain: data.typedData.domain },
        ...offers.shown(view.terms.token),
      ],
      tokenListed: listedTokens.isListed(data.currency),
      terms: storeTerms(view.terms),
      typedData: data.typedData as unknown as CheckoutShown["data"]["typedData"],
      signed: showSigned(view),
      fundingFailed: view.order === null && view.facts.funding === "failed",
      transactionHash: data.transactionHash,
      confirmations: showConfirmations(view, config.chain.confirmations),
      order: view.order && showOrder(view.order, view.disputeRaisedBy, credits(view.order), data.currency),
      milestones: await milestonesShown(database, view),
      phases: data.phases,
      movable: !view.orphaned,
      created: data.created,
      updated: data.updated,
    },
  };
}
