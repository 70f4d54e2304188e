// Derives the terms for the release of an intent's funds from the request's body and metadata (spec, "Create
// payment intent"; docs/release-types.md).
import type { Static } from "@sinclair/typebox";
import { getAddress, zeroAddress, zeroHash } from "viem";
import { RELEASE_TYPES, type ReleaseType, type Terms } from "#core/chain/terms.ts";
import type { Config } from "#core/config/config.ts";
import { invalidRequest } from "#core/errors.ts";
import { type CreateIntentBody, MAX_DELIVERY_PERIOD } from "./bodies.ts";
import { RELEASE_TYPES_SHOWN } from "./schemas.ts";

type Body = Static<typeof CreateIntentBody>;
export type ReleaseTerms = Pick<
  Terms,
  | "releaseType"
  | "autoReleaseOnProof"
  | "timeLockUntil"
  | "deliveryPeriod"
  | "deliveryOracle"
  | "expectedDeliveryHash"
>;

export const DEFAULT_DELIVERY_PERIOD = 2_592_000;

/** The year 5138. A larger number must be in milliseconds. */
const LATEST_SECONDS = 99_999_999_999;

const numberOf = (type: ReleaseType): number => RELEASE_TYPES.indexOf(type);

function readAutoRelease(body: Body): boolean {
  const own = body.metadata?.autoRelease;
  if (own !== undefined && own !== true && own !== false && own !== "true" && own !== "false") {
    throw invalidRequest("Invalid metadata.autoRelease: expected true or false.", "metadata.autoRelease");
  }
  return body.autoRelease ?? (own === true || own === "true");
}

function readReleaseType(body: Body, autoRelease: boolean): ReleaseType {
  const wanted = body.metadata?.releaseType;
  if (wanted === undefined || wanted === null) return autoRelease ? "AUTO_RELEASE" : "DELIVERY_PROOF";
  const known = RELEASE_TYPES_SHOWN.find((type) => type === wanted);
  if (known) return known;
  throw invalidRequest(
    `Invalid metadata.releaseType: expected one of ${RELEASE_TYPES_SHOWN.join(", ")}.`,
    "metadata.releaseType",
  );
}

/** In seconds. A lock that ends sooner leaves the payer too little time to pay before its end. */
const SOON = 900;

/** @returns the end of the lock, which may be soon on a simulated chain */
function requireTimeToPay(lock: number, simulated: boolean, now: number): number {
  if (simulated || lock <= now || lock - now > SOON) return lock;
  throw invalidRequest(
    `The time lock ends within ${SOON / 60} minutes. Choose a later timeLockUntil, or one in the past to release the funds as soon as the order is shipped.`,
    "metadata.timeLockUntil",
  );
}

function readTimeLock(body: Body): number {
  const param = "metadata.timeLockUntil";
  const text = String(body.metadata?.timeLockUntil ?? "");
  if (text === "")
    throw invalidRequest("A TIME_LOCKED payment requires metadata.timeLockUntil in Unix seconds.", param);
  if (!/^\d{1,20}$/.test(text) || Number(text) === 0) {
    throw invalidRequest(
      'Invalid timeLockUntil: expected Unix seconds as a string such as "1767225600".',
      param,
    );
  }
  if (Number(text) > LATEST_SECONDS) {
    throw invalidRequest(
      "Invalid timeLockUntil: it appears to be in milliseconds. Send Unix seconds.",
      param,
    );
  }
  return Number(text);
}

/**
 * Returns a delivery period that covers the lock, because the contract rejects a lock that ends after the
 * delivery deadline.
 */
function periodUntil(lock: number, asked: number | undefined, now: number): number {
  const needed = Math.max(0, lock - now);
  const period = asked ?? Math.max(DEFAULT_DELIVERY_PERIOD, needed);
  if (needed > period || needed > MAX_DELIVERY_PERIOD) {
    throw invalidRequest(
      "The time lock ends after the delivery deadline. Choose an earlier timeLockUntil or a longer deliveryPeriod.",
      asked === undefined ? "metadata.timeLockUntil" : "deliveryPeriod",
    );
  }
  return period;
}

/**
 * Returns the latest time at which an order can be funded. The deadline is never after the end of the lock.
 * Otherwise, a payer's signature could be withheld until then, and the order funded and released at once. A lock
 * that has already ended releases the funds upon shipment, as the payment page states (spec), and a lock that
 * ends soon is treated the same way.
 */
export const fundingDeadline = (period: number, { timeLockUntil }: ReleaseTerms, now: number): number =>
  timeLockUntil > now + SOON ? Math.min(now + period, timeLockUntil) : now + period;

/** @param now Unix seconds */
export function readReleaseTerms(body: Body, { chain }: Pick<Config, "chain">, now: number): ReleaseTerms {
  if (body.type === "CONDITIONAL") return conditionalTerms(body);
  const autoReleaseOnProof = readAutoRelease(body);
  const releaseType = readReleaseType(body, autoReleaseOnProof);
  const timeLockUntil =
    releaseType === "TIME_LOCKED" ? requireTimeToPay(readTimeLock(body), chain.simulated, now) : 0;
  return {
    releaseType: numberOf(releaseType),
    autoReleaseOnProof: autoReleaseOnProof || releaseType === "AUTO_RELEASE",
    timeLockUntil,
    deliveryPeriod:
      releaseType === "TIME_LOCKED"
        ? periodUntil(timeLockUntil, body.deliveryPeriod, now)
        : (body.deliveryPeriod ?? DEFAULT_DELIVERY_PERIOD),
    deliveryOracle: getAddress(body.deliveryOracle ?? zeroAddress),
    expectedDeliveryHash: body.expectedDeliveryHash ?? zeroHash,
  };
}

/** A CONDITIONAL payment is released as soon as it is funded, so it cannot have delivery terms. */
function conditionalTerms(body: Body): ReleaseTerms {
  for (const param of ["deliveryPeriod", "expectedDeliveryHash", "autoRelease", "deliveryOracle"] as const) {
    if (body[param] !== undefined) {
      throw invalidRequest(`${param} requires type DELIVERY_VS_PAYMENT. Omit it or change the type.`, param);
    }
  }
  return {
    releaseType: numberOf("IMMEDIATE"),
    autoReleaseOnProof: false,
    timeLockUntil: 0,
    deliveryPeriod: DEFAULT_DELIVERY_PERIOD,
    deliveryOracle: zeroAddress,
    expectedDeliveryHash: zeroHash,
  };
}
