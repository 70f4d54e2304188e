// The payment page's data from the API (GET /v1/payment-intents/public/:id/checkout).
import type { Address, Hex } from "viem";
import type { FundingMethod, FundingOffer } from "#core/chain/funding-methods.ts";
import type { OrderStatus, StoredTerms } from "#core/chain/terms.ts";
import type { Phase } from "#core/intent/phases.ts";
import type { DISPUTE_SIDES } from "#core/intent/show-escrow.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";
import type { Currency } from "#core/money.ts";

/** Times are in Unix seconds, and amounts are decimal strings. */
export type Order = {
  status: OrderStatus;
  payer: Address;
  fundingTransaction: Hex;
  latestTransaction: Hex;
  fundedAt: number;
  deliveryDeadline: number;
  proven: boolean;
  shippedAt: number | null;
  deliveredAt: number | null;
  releasedAt: number | null;
  endedAt: number | null;
  released: string;
  refunded: string;
  disputeRaisedAt: number | null;
  disputeRaisedBy: Address | null;
  /** Who raised the latest dispute. */
  disputeSide: (typeof DISPUTE_SIDES)[number] | null;
  disputedByPayer: boolean;
  disputeReason: string | null;
  disputeDeadline: number | null;
  /** The order's status when the latest dispute was raised. */
  statusBeforeDispute: OrderStatus | null;
  /** The amount that the payer can claim from the contract, because its transfers failed. */
  credit: string;
};

export type Milestone = {
  index: number;
  description: string | null;
  amount: string;
  status: "PENDING" | "COMPLETED" | "RELEASED";
};

export type Network = {
  name: string;
  currency: string;
  explorerUrl: string | null;
  rpcUrl: string | null;
};

export type Checkout = {
  id: string;
  object: "checkout";
  status: IntentStatus;
  data: {
    merchantName: string;
    merchantLogoUrl: string | null;
    supportEmail: string | null;
    amount: string;
    currency: Currency;
    /** Decimals of the currency's token. */
    decimals: number;
    type: "CONDITIONAL" | "DELIVERY_VS_PAYMENT";
    description: string | null;
    /** The page links to `returnUrl` once the payment is paid, and to `cancelUrl` before that. */
    returnUrl: string | null;
    cancelUrl: string | null;
    estimatedFee: string;
    estimatedDeliveryTime: string;
    chainId: number;
    contractAddress: Address;
    network: Network;
    testMode: boolean;
    fundingMethods: FundingOffer[];
    /** Whether the contract accepts new payments in this token. */
    tokenListed: boolean;
    terms: StoredTerms;
    /** The latest authorization that the gateway accepted. */
    signed: { payer: Address; fundingMethod: FundingMethod } | null;
    fundingFailed: boolean;
    transactionHash: Hex | null;
    confirmations: { seen: number; required: number };
    order: Order | null;
    milestones: Milestone[];
    phases: Phase[];
    movable: boolean;
    created: number;
    updated: number;
  };
};

/** Whether the payment is waiting for its payer. */
export const isPayable = ({ status, data }: Checkout): boolean =>
  data.movable &&
  data.order === null &&
  (status === "INITIATED" || status === "REQUIRES_SIGNATURE" || status === "REQUIRES_ACTION");

/**
 * Whether the payer may have signed or approved something for this payment that can still be used. Payments with test
 * tokens require neither.
 */
export const isRevocable = ({ status, data }: Checkout): boolean =>
  data.movable && !data.testMode && data.order === null && status !== "PROCESSING";

/**
 * Whether an unlimited allowance may remain after the payment. DAI's permit grants an unlimited allowance, and payments
 * do not use it up. A later payment that requires only a signature depends on the allowance from an earlier payment.
 */
export const keepsAllowance = ({ data: { order, signed, testMode, fundingMethods } }: Checkout): boolean =>
  order !== null &&
  !testMode &&
  (signed?.fundingMethod === "DAI_PERMIT" || signed?.fundingMethod === "ALLOWANCE") &&
  fundingMethods.some(({ method }) => method === "DAI_PERMIT");

/** @param decimal an amount in the API's format */
export const isPositive = (decimal: string): boolean => /[1-9]/.test(decimal);
