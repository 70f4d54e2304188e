// An order's terms, and the order's id, which is the hash of the terms (contracts/IDeliveryVsPayment.sol).
import { type Address, encodeAbiParameters, type Hex, isAddressEqual, keccak256, zeroAddress } from "viem";
import type { OrderId } from "../ids.ts";
import { orderTermsAbi } from "./abi/order-terms.ts";

/** How funds are released. An entry's index is its number on chain. */
export const RELEASE_TYPES = [
  "DELIVERY_PROOF",
  "TIME_LOCKED",
  "MILESTONE_LOCKED",
  "AUTO_RELEASE",
  "IMMEDIATE",
] as const;
export type ReleaseType = (typeof RELEASE_TYPES)[number];

/** The state of an order on chain. An entry's index is its number on chain (contracts/README.md, "States"). */
export const ORDER_STATUSES = [
  "Created",
  "Shipped",
  "Delivered",
  "AwaitingSettlement",
  "Completed",
  "Cancelled",
  "Disputed",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The statuses of an order that is neither disputed nor ended, so that its funds can be released or refunded. */
export const OPEN_STATUSES = ["Created", "Shipped", "Delivered"] as const satisfies readonly OrderStatus[];
export type OpenStatus = (typeof OPEN_STATUSES)[number];

export const isOpen = (status: OrderStatus | null | undefined): status is OpenStatus =>
  (OPEN_STATUSES as readonly unknown[]).includes(status);

/**
 * The contract's `Terms`, as viem encodes them. The amount is in the smallest unit; times and periods are in seconds.
 */
export type Terms = {
  salt: Hex;
  operator: Address;
  arbiter: Address;
  deliveryOracle: Address;
  payee: Address;
  /** The only account that can fund the order. The zero address allows any account. */
  payer: Address;
  offRamp: Address;
  token: Address;
  amount: bigint;
  fundingDeadline: number;
  deliveryPeriod: number;
  disputeWindow: number;
  timeLockUntil: number;
  releaseType: number;
  autoReleaseOnProof: boolean;
  expectedDeliveryHash: Hex;
};

/** Terms as JSON, with the amount as a decimal string. */
export type StoredTerms = Omit<Terms, "amount"> & { amount: string };

export const storeTerms = (terms: Terms): StoredTerms => ({ ...terms, amount: terms.amount.toString() });

export const restoreTerms = (stored: StoredTerms): Terms => ({ ...stored, amount: BigInt(stored.amount) });

/**
 * Whether the terms' oracle is a third party, whose proof outweighs the payee's own (contracts/README.md, "States").
 * @param payer the account that funded the order
 */
export function hasIndependentOracle(terms: Terms, payer: Address): boolean {
  const { deliveryOracle, payee, operator, arbiter, offRamp } = terms;
  return [zeroAddress, payee, payer, operator, arbiter, offRamp].every(
    (other) => !isAddressEqual(other, deliveryOracle),
  );
}

/** Whether the contract lets the operator release completed milestones. Otherwise, the oracle or the payer does so. */
export const operatorReleasesMilestones = ({
  autoReleaseOnProof,
  deliveryOracle,
}: Pick<Terms, "autoReleaseOnProof" | "deliveryOracle">): boolean =>
  autoReleaseOnProof && deliveryOracle === zeroAddress;

/**
 * Computes the order's id, keccak256(abi.encode(chainId, contract, terms)), which is known before the order is on
 * chain.
 */
export function orderIdOf(chainId: number, contract: Address, terms: Terms): OrderId {
  return keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, orderTermsAbi],
      [BigInt(chainId), contract, terms],
    ),
  );
}
