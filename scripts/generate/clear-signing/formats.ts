// Defines how wallets display the escrow's calls and typed data (ERC-7730): the label and format of each value. The
// types and the argument order come from the ABI and the contract's type strings (descriptors.ts).
import { zeroAddress, zeroHash } from "viem";

/** A field's format in ERC-7730, without its path. */
export interface Display {
  label: string;
  format: "raw" | "tokenAmount" | "tokenTicker" | "date" | "duration" | "addressName" | "enum";
  params?: Record<string, string | readonly string[]>;
  visible?: "never" | { ifNotIn: readonly (string | number)[] };
}

/** The fields of a call or message, in display order. */
export interface Format {
  intent: string;
  /** `{path}` is replaced with the formatted value of that field. */
  sentence?: string;
  fields: Readonly<Record<string, Display>>;
}

export interface CallFormat extends Format {
  /**
   * The order terms to show. The terms of a funded order cannot change, so a few of them are enough to recognize it.
   */
  terms?: readonly string[];
}

export const ENUMS = {
  releaseType: {
    "0": "On delivery proof, by payer or operator",
    "1": "After a time lock",
    "2": "By milestones",
    "3": "By the delivery proof itself",
    "4": "At funding",
  },
} as const;

const raw = (label: string): Display => ({ label, format: "raw" });
const account = (label: string): Display => ({
  label,
  format: "addressName",
  params: { types: ["eoa", "contract"] },
});
const token: Display = { label: "Token", format: "addressName", params: { types: ["token"] } };
const amount = (label: string, tokenPath: string): Display => ({
  label,
  format: "tokenAmount",
  params: { tokenPath },
});
const date = (label: string): Display => ({ label, format: "date", params: { encoding: "timestamp" } });
const duration = (label: string): Display => ({ label, format: "duration" });
const oneOf = (label: string, name: keyof typeof ENUMS): Display => ({
  label,
  format: "enum",
  params: { $ref: `$.metadata.enums.${name}` },
});
/** Hides a value that is zero, because zero means "none". */
const unless = (zero: string | number, display: Display): Display => ({
  ...display,
  visible: { ifNotIn: [zero] },
});
const hidden = (label: string): Display => ({ label, format: "raw", visible: "never" });

export const TERMS: Readonly<Record<string, Display>> = {
  amount: amount("Order amount", "terms.token"),
  token,
  payee: account("Merchant"),
  payer: unless(zeroAddress, account("Payer")),
  releaseType: oneOf("Release", "releaseType"),
  timeLockUntil: unless(0, date("Locked until")),
  autoReleaseOnProof: raw("Released by the delivery proof"),
  deliveryOracle: unless(zeroAddress, account("Delivery oracle")),
  expectedDeliveryHash: unless(zeroHash, raw("Expected delivery hash")),
  deliveryPeriod: duration("Delivery period"),
  disputeWindow: duration("Shortest dispute window"),
  arbiter: account("Arbiter"),
  operator: account("Operator"),
  offRamp: account("Off-ramp"),
  fundingDeadline: date("Funding deadline"),
  salt: hidden("Salt"),
};

const EVERY_TERM = Object.keys(TERMS);
const PARTIES = ["amount", "token", "payee", "payer"];
const order = "the {terms.amount} order of {terms.payee}";
const proof = { proofHash: raw("Proof hash"), proofURI: raw("Proof URI") };
const milestone = { cumulativeAmount: amount("Released in total", "terms.token") };
const share = { payeeAmount: amount("For the merchant, at most the remainder", "terms.token") };

/** Functions for payers, payees, arbiters, oracles and the owner, and functions that anyone can call. */
export const CALLS: Readonly<Record<string, CallFormat>> = {
  createOrder: {
    intent: "Pay into escrow",
    sentence: "Pay {terms.amount} into escrow for {terms.payee}",
    terms: EVERY_TERM,
    fields: {},
  },
  markShipped: {
    intent: "Report shipment",
    sentence: `Report ${order} as shipped`,
    terms: PARTIES,
    fields: {},
  },
  markShippedFor: {
    intent: "Submit the oracle's shipment",
    terms: PARTIES,
    fields: { oracleSignature: hidden("Oracle's signature") },
  },
  submitDeliveryProof: {
    intent: "Submit delivery proof",
    terms: [...PARTIES, "expectedDeliveryHash", "autoReleaseOnProof"],
    fields: proof,
  },
  submitDeliveryProofFor: {
    intent: "Submit the oracle's delivery proof",
    terms: [...PARTIES, "expectedDeliveryHash", "autoReleaseOnProof"],
    fields: { ...proof, oracleSignature: hidden("Oracle's signature") },
  },
  release: {
    intent: "Release the remainder",
    sentence: `Release the remainder of ${order} to the merchant`,
    terms: PARTIES,
    fields: {},
  },
  releaseTimeLocked: {
    intent: "Release after the time lock",
    terms: [...PARTIES, "timeLockUntil"],
    fields: {},
  },
  releaseMilestone: {
    intent: "Release up to a milestone",
    sentence: `Release {cumulativeAmount} in total of ${order} to the merchant`,
    terms: PARTIES,
    fields: milestone,
  },
  releaseMilestoneFor: {
    intent: "Submit the oracle's milestone",
    terms: PARTIES,
    fields: { ...milestone, oracleSignature: hidden("Oracle's signature") },
  },
  withdraw: {
    intent: "Withdraw released funds",
    sentence: `Withdraw the released funds of ${order}; it gets no fiat payout from then on`,
    terms: PARTIES,
    fields: {},
  },
  refund: {
    intent: "Refund the payer",
    sentence: `Refund {amount} of ${order} to the payer`,
    terms: PARTIES,
    fields: { amount: amount("Refund", "terms.token") },
  },
  reclaim: {
    intent: "Reclaim the remainder",
    sentence: `Reclaim the remainder of ${order}`,
    terms: PARTIES,
    fields: {},
  },
  raiseDispute: {
    intent: "Raise a dispute",
    sentence: `Dispute ${order}`,
    terms: [...PARTIES, "arbiter", "disputeWindow"],
    fields: { reason: raw("Reason"), window: duration("Dispute window") },
  },
  resolveDispute: {
    intent: "Decide a dispute",
    sentence: `Release {payeeAmount} of the remainder of ${order} to the merchant, and refund the payer what is left`,
    terms: PARTIES,
    fields: share,
  },
  resolveDisputeByAgreement: {
    intent: "End a dispute as agreed",
    terms: PARTIES,
    fields: {
      ...share,
      deadline: date("Agreement valid until"),
      payerSignature: hidden("Payer's signature"),
      payeeSignature: hidden("Merchant's signature"),
    },
  },
  resolveExpiredDispute: {
    intent: "End an expired dispute",
    terms: [...PARTIES, "releaseType", "deliveryOracle"],
    fields: {},
  },
  claimCredit: {
    intent: "Claim a credit",
    fields: { token: { label: "Token", format: "tokenTicker" } },
  },
  setTokenListed: {
    intent: "Change the list of tokens",
    fields: { token, listed: raw("Allowed for new orders") },
  },
  setGuardian: { intent: "Appoint a guardian", fields: { guardian_: account("Guardian") } },
  transferOwnership: {
    intent: "Offer ownership",
    sentence: "Offer ownership to {newOwner}",
    fields: { newOwner: account("New owner") },
  },
  acceptOwnership: { intent: "Accept ownership", fields: {} },
  renounceOwnership: { intent: "Renounce ownership permanently", fields: {} },
};

/** Functions that only the gateway's relayer calls, with its own key and without a wallet. */
export const OPERATOR_CALLS = [
  "createOrderFor",
  "createOrderForWithPermit",
  "createOrderWithAuthorization",
  "createOrderWithPermit2",
  "raiseDisputeFor",
  "settle",
] as const;

/** The first fields of a message about a funded order. */
const funded = {
  amount: amount("Order amount", "token"),
  token,
  payee: account("Merchant"),
  intentId: raw("Payment intent"),
};
const fundedOrder = "the {amount} order of {payee}";

/** The service's interface defines PaymentIntent without a token, so its amount is shown in the smallest unit. */
export const MESSAGES: Readonly<Record<string, Format>> = {
  DeliveryVsPayment: {
    intent: "Pay into escrow",
    sentence: "Pay {amount} into escrow for {payee}",
    fields: {
      amount: amount("Amount", "token"),
      token,
      payee: account("Merchant"),
      payer: unless(zeroAddress, account("Payer")),
      intentId: raw("Payment intent"),
      deadline: date("Funding deadline"),
    },
  },
  PaymentIntent: {
    intent: "Pay a merchant immediately",
    fields: {
      amount: raw("Amount in the token's smallest unit"),
      intentId: raw("Payment intent"),
      nonce: hidden("Nonce"),
    },
  },
  DeliveryProof: {
    intent: "Prove a delivery",
    sentence: `Prove the delivery of ${fundedOrder}`,
    fields: { ...funded, ...proof },
  },
  Shipment: {
    intent: "Confirm a shipment",
    sentence: `Confirm the shipment of ${fundedOrder}`,
    fields: funded,
  },
  MilestoneRelease: {
    intent: "Release up to a milestone",
    sentence: `Release {cumulativeAmount} in total of ${fundedOrder} to the merchant`,
    fields: { ...funded, cumulativeAmount: amount("Released in total", "token") },
  },
  Dispute: {
    intent: "Raise a dispute",
    sentence: `Dispute ${fundedOrder}`,
    fields: {
      ...funded,
      reason: raw("Reason"),
      window: duration("Dispute window"),
      deadline: date("Valid until"),
    },
  },
  DisputeAgreement: {
    intent: "Agree on a dispute",
    sentence: `Release {payeeAmount} of the remainder of ${fundedOrder} to the merchant, and refund the payer what is left`,
    fields: {
      ...funded,
      raisedBy: raw("Dispute raised by"),
      payeeAmount: amount("For the merchant, at most the remainder", "token"),
      deadline: date("Valid until"),
    },
  },
};

/** Messages that are signed as part of a Permit2 message in Permit2's domain. Permit2's own metadata describes them. */
export const FOREIGN_MESSAGES = ["Payment"] as const;
