// An order's terms, and what follows from only the terms and the payer.

export type Address = string;
export const ZERO: Address = "0";
/** The contract's own address. */
export const ESCROW: Address = "escrow";

/** In the order of the contract's enum. */
export const RELEASE_TYPES = [
  "DELIVERY_PROOF",
  "TIME_LOCKED",
  "MILESTONE_LOCKED",
  "AUTO_RELEASE",
  "IMMEDIATE",
] as const;
export type ReleaseType = (typeof RELEASE_TYPES)[number];

/** Times are in seconds, and `amount` is in the token's smallest unit. An expected hash of null accepts every proof. */
export interface Terms {
  operator: Address;
  arbiter: Address;
  deliveryOracle: Address;
  payee: Address;
  /** ZERO means that anyone may fund the order. */
  payer: Address;
  offRamp: Address;
  amount: bigint;
  fundingDeadline: number;
  deliveryPeriod: number;
  /** The minimum dispute window. */
  disputeWindow: number;
  timeLockUntil: number;
  releaseType: ReleaseType;
  autoReleaseOnProof: boolean;
  expectedDeliveryHash: string | null;
}

export const MAX_DISPUTE_WINDOW = 30 * 86_400;
export const MIN_DISPUTE_WINDOW = 60;
export const MAX_DELIVERY_PERIOD = 3650 * 86_400;

/** Whether a valid proof releases the order (DELIVERY_PROOF and AUTO_RELEASE), directly or by a later call. */
export function isReleasedByProof(terms: Terms): boolean {
  return terms.releaseType === "DELIVERY_PROOF" || terms.releaseType === "AUTO_RELEASE";
}

export function releasesOnProof(terms: Terms): boolean {
  return (
    terms.releaseType === "AUTO_RELEASE" ||
    (terms.releaseType === "DELIVERY_PROOF" && terms.autoReleaseOnProof)
  );
}
