// Identifiers. An intent's id is derived from its order's id, and a merchant's id is random. All other ids consist of a
// prefix and a time-ordered UUID.
import type { Hex } from "viem";

export type IntentId = `intent_${string}`;

/** The bytes32 id of an order on chain: the hash of chain, contract and terms. */
export type OrderId = Hex;

const INTENT_ID = /^intent_[0-9a-f]{64}$/;

export const isIntentId = (text: string): text is IntentId => INTENT_ID.test(text);

export const toIntentId = (orderId: OrderId): IntentId => `intent_${orderId.slice(2)}`;

export const orderIdOfIntent = (intentId: IntentId): OrderId => `0x${intentId.slice("intent_".length)}`;

/** The id of an order's refund, settlement or other numbered fact. `number` counts within the order, starting at 1. */
export const toFactId = (orderId: OrderId, number: number): string => `${orderId}-${number}`;

/**
 * Generates a merchant's id, such as `merchant_0198f3a2c4d5e6b7a809`. It has 80 random bits and is short, because it is
 * in every key of every table.
 */
export const newMerchantId = (): string =>
  `merchant_${Buffer.from(crypto.getRandomValues(new Uint8Array(10))).toString("hex")}`;

/** The prefixes of the ids that are stored as UUIDs. */
export type IdPrefix =
  | "attempt"
  | "audit"
  | "delivery"
  | "evt"
  | "payout"
  | "proof"
  | "request"
  | "tx"
  | "we";

/** Generates an id such as `payout_0198…`, which is sortable by creation time. */
export const newId = (prefix: string): string => `${prefix}_${Bun.randomUUIDv7("hex").replaceAll("-", "")}`;
