// An event's data as stored in its row: deflated JSON. A payment has many events of a kilobyte each, which nobody
// searches. The metadata, by which merchants search, is a separate column.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { EventData } from "./event-data.ts";

/**
 * Text that events have in common, with the most frequent text last. Deflate refers to this text instead of repeating
 * it, which makes a row about half as large as with deflate alone. Rows cannot be read without the dictionary that they
 * were written with, so never change a dictionary. A new dictionary gets a new number.
 */
const DICTIONARIES: Record<number, Buffer> = {
  1: Buffer.from(
    [
      '{"object":{"object":"milestone","conditionalPaymentId":"escrow_","paymentIntentId":"intent_","id":"milestone_","milestoneIndex":0,"status":"RELEASED","description":',
      ',"percentage":null,"completedAt":null,"completedBy":"0x","completionProof":null,"completionProofURI":null},"previousAttributes":{"status":"PENDING"}}',
      '{"object":{"object":"dispute","id":"dispute_","conditionalPaymentId":"escrow_","paymentIntentId":"intent_","disputeSide":"PAYER","disputeReason":"","disputeRaisedBy":"0x',
      '","disputeRaisedAt":"17","disputeDeadline":"17","status":"resolved","outcome":"MERCHANT_WON","resolution":"ARBITER","releasedAmount":"100.00","refundedAmount":"0.00"},"previousAttributes":{"status":"raised"}}',
      '{"object":{"object":"delivery_proof","id":"proof_","conditionalPaymentId":"escrow_","paymentIntentId":"intent_',
      '","proofHash":"0x","proofURI":"https://","submittedBy":"0x","submittedAt":"17","submitTxHash":"0x","proven":true}}',
      '{"object":{"object":"conditional_payment","id":"escrow_","buyerAddress":"0x","deliveryDeadline":"17","actualDeliveryHash":null,"releasedAmount":"100.00","refundedAmount":"0.00"',
      ',"orderStatus":"SHIPPED","DELIVERED","CANCELLED","DISPUTED","COMPLETED","settlementStatus":"SCHEDULED","EXECUTED","CONFIRMED","PENDING","disputeWindow":"604800","disputeRaisedAt":null,"disputeReason":null,"disputeRaisedBy":null,"disputeSide":null',
      ',"createTxHash":"0x","funded":true,"releasedAt":null,"settlementScheduledAt":null,"updatedAt":"2026-',
      '{"object":{"object":"payout","id":"payout_","paymentIntentId":"intent_","amount":"100.00","currency":"USDC","settlementMethod":"OFF_RAMP_MOCK","OFF_RAMP_TO_RTP","OFF_RAMP_TO_BANK","status":"completed","attempt":1,"fee":"0.00',
      '","deliveredAmount":null,"deliveredCurrency":null,"rate":null,"settledExternally":false,"failureReason":null,"settlementTxHash":"0x","created":17',
      '"fundingMethod":"ALLOWANCE","ERC_2612","DAI_PERMIT","ERC_3009","PERMIT2",null,"signerAddress":null,"phases":[{"phase":"SIGNATURE_VERIFICATION","status":"FAILED","startedAt":17',
      '{"object":{"object":"payment_intent","status":"REQUIRES_ACTION","settlementStatus":"FAILED","disputed":true,"transactionHash":null,"signature":null',
      ',"previousAttributes":{"status":"INITIATED"}},"previousAttributes":{"status":"CANCELED"}},"previousAttributes":{"status":"SETTLED"}},"previousAttributes":{"status":"FINAL"}}',
      ',"previousAttributes":{"status":"REQUIRES_SIGNATURE"}},"previousAttributes":{"status":"PROCESSING"}},"previousAttributes":{"status":"SUCCEEDED"}}',
      '{"object":{"object":"payment_intent","status":"SUCCEEDED","settlementStatus":"IN_PROGRESS","disputed":false,"transactionHash":"0x","signature":"0x","fundingMethod":"ALLOWANCE","signerAddress":"0x","phases":[',
      '{"phase":"SIGNATURE_VERIFICATION","status":"COMPLETED","startedAt":17,"completedAt":17},{"phase":"BLOCKCHAIN_CONFIRMATION","status":"COMPLETED","startedAt":17,"completedAt":17},',
      '{"phase":"ESCROW_LOCKED","status":"COMPLETED","startedAt":17,"completedAt":17},{"phase":"AWAITING_DELIVERY_PROOF","status":"COMPLETED","startedAt":17,"completedAt":17},',
      '{"phase":"SETTLEMENT","status":"IN_PROGRESS","startedAt":17,"completedAt":17}],"updated":17',
    ].join("\n"),
  ),
};
const CURRENT = 1;

/** @returns the dictionary's number in one byte, then the deflated JSON */
export const packEventData = (data: EventData): Buffer =>
  Buffer.concat([
    Buffer.of(CURRENT),
    deflateRawSync(JSON.stringify(data), { level: 9, dictionary: DICTIONARIES[CURRENT] }),
  ]);

/** @throws for data that was not written by `packEventData` */
export function unpackEventData(packed: Uint8Array): EventData {
  const dictionary = DICTIONARIES[packed[0] ?? 0];
  if (!dictionary) throw new Error(`Event data refers to the unknown dictionary ${packed[0]}.`);
  return JSON.parse(inflateRawSync(packed.subarray(1), { dictionary }).toString()) as EventData;
}
