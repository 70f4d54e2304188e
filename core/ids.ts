// Identifiers: the intent's id is the order's id; everything else has a prefix and a time-ordered UUID.
import type { Hex } from "viem";

export type IntentId = `intent_${string}`;

/** bytes32 that identifies an order on chain: the hash of chain, contract and terms. */
export type OrderId = Hex;

const INTENT_ID = /^intent_[0-9a-f]{64}$/;

export const isIntentId = (text: string): text is IntentId => INTENT_ID.test(text);

export const toIntentId = (orderId: OrderId): IntentId => `intent_${orderId.slice(2)}`;

export const orderIdOfIntent = (intentId: IntentId): OrderId => `0x${intentId.slice("intent_".length)}`;

/** A merchant's id, such as `merchant_0k3v9q1m7x2d5b8h`: 80 random bits, short because it is in every key of every table. */
export function newMerchantId(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte % 32).toString(32));
  return `merchant_${digits.join("")}`;
}

/** A new id such as `payout_0198…`, sortable by creation time. */
export const newId = (prefix: string): string => `${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
