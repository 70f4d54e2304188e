// Tests what the page says about closing an expired dispute, for each case of the contract's resolveExpiredDispute.
import { describe, expect, test } from "bun:test";
import { type Address, zeroAddress } from "viem";
import type { ReleaseType } from "#core/chain/terms.ts";
import type { Checkout, Order } from "./checkout.ts";
import { predictEnding } from "./expired-dispute.ts";
import type { Verified } from "./verify.ts";

const [PAYER, PAYEE, ORACLE, OTHER] = [1, 2, 3, 4].map((n) => `0x${String(n).repeat(40)}`) as [
  Address,
  Address,
  Address,
  Address,
];
const NOW = 1_800_000_000;

type Case = { order?: Partial<Order>; terms?: object };

function ending(releaseType: ReleaseType, { order = {}, terms = {} }: Case = {}): string[] {
  const shown = {
    status: "Disputed",
    statusBeforeDispute: "Created",
    disputeSide: "PAYER",
    disputedByPayer: order.disputeSide !== "MERCHANT",
    disputeDeadline: NOW - 1,
    deliveryDeadline: NOW + 1_000,
    proven: false,
    payer: PAYER,
    released: "0.00",
    refunded: "0.00",
    credit: "0.00",
    ...order,
  } as Order;
  const verified = {
    releaseType,
    terms: {
      ...{ payee: PAYEE, operator: OTHER, arbiter: OTHER, offRamp: OTHER, payer: zeroAddress },
      ...{ deliveryOracle: zeroAddress, timeLockUntil: 0, amount: 100_000_000n, ...terms },
    },
  } as unknown as Verified;
  const confirmations = { seen: 5, required: 5 };
  const data = { order: shown, currency: "USDC", milestones: [], confirmations };
  const checkout = { data } as unknown as Checkout;
  return predictEnding(checkout, shown, verified, NOW);
}

const oracle = { deliveryOracle: ORACLE };
const proven = { proven: true };
const merchants = { disputeSide: "MERCHANT" } as const;

describe("the payer's own dispute", () => {
  test("without an independent oracle returns the money, unless delivery was already proven", () => {
    for (const type of ["DELIVERY_PROOF", "AUTO_RELEASE"] as const) {
      for (const deliveryOracle of [zeroAddress, PAYEE, PAYER]) {
        expect(ending(type, { terms: { deliveryOracle } })).toEqual(["ending.payer"]);
      }
      expect(ending(type, { order: proven })).toEqual(["ending.payeeByMerchant"]);
    }
  });

  test("with an independent oracle follows its proof, and resumes without a proof", () => {
    for (const type of ["DELIVERY_PROOF", "AUTO_RELEASE", "MILESTONE_LOCKED"] as const) {
      expect(ending(type, { terms: oracle, order: proven })).toEqual(["ending.payeeByOracle"]);
      expect(ending(type, { terms: oracle })).toEqual(["ending.resumes.Created"]);
    }
  });

  test("resumes a milestone payment without an independent oracle", () => {
    expect(ending("MILESTONE_LOCKED")).toEqual(["ending.resumes.Created"]);
    expect(ending("MILESTONE_LOCKED", { order: { statusBeforeDispute: "Delivered" } })).toEqual([
      "ending.resumes.Delivered",
    ]);
  });
});

describe("a time lock", () => {
  const shipped = { statusBeforeDispute: "Shipped" } as const;

  test("resumes after either side's dispute, and says when it ends", () => {
    for (const order of [shipped, { ...shipped, ...merchants, disputedByPayer: true }]) {
      const ahead = { timeLockUntil: NOW + 1 };
      expect(ending("TIME_LOCKED", { order, terms: ahead })).toEqual([
        "ending.resumes.Shipped",
        "ending.lock",
      ]);
      expect(ending("TIME_LOCKED", { order, terms: { timeLockUntil: NOW } })).toEqual([
        "ending.resumes.Shipped",
        "ending.lockOver",
      ]);
    }
  });

  test("that has expired releases as soon as the order is shipped", () => {
    expect(ending("TIME_LOCKED", { terms: { timeLockUntil: NOW } })).toEqual([
      "ending.resumes.Created",
      "ending.pastLock",
    ]);
  });

  test("resumes as Delivered if an independent proof came", () => {
    const terms = { ...oracle, timeLockUntil: NOW + 1 };
    expect(ending("TIME_LOCKED", { order: proven, terms })).toEqual(["ending.resumes.Proven", "ending.lock"]);
  });
});

describe("the merchant's dispute", () => {
  test("resumes under every release type, and leaves the payer able to dispute", () => {
    for (const type of ["DELIVERY_PROOF", "AUTO_RELEASE", "MILESTONE_LOCKED", "TIME_LOCKED"] as const) {
      const terms = { timeLockUntil: type === "TIME_LOCKED" ? NOW + 1 : 0 };
      expect(ending(type, { order: merchants, terms })).toEqual([
        "ending.resumes.Created",
        "ending.ownDispute",
      ]);
    }
  });

  test("resumes as Delivered if an independent proof came, and the merchant can then have it released", () => {
    const order = { ...merchants, ...proven };
    expect(ending("DELIVERY_PROOF", { order, terms: oracle })).toEqual([
      "ending.resumes.Proven",
      "ending.payeesRelease",
      "ending.ownDispute",
    ]);
    expect(ending("MILESTONE_LOCKED", { order, terms: oracle })).toEqual([
      "ending.resumes.Proven",
      "ending.payeesRelease",
    ]);
    const before = { ...order, statusBeforeDispute: "Delivered" } as const;
    expect(ending("DELIVERY_PROOF", { order: before })).toEqual([
      "ending.resumes.Delivered",
      "ending.payeesRelease",
      "ending.ownDispute",
    ]);
  });

  test("that nobody closed before the delivery deadline lets the payer reclaim the money", () => {
    const order = { ...merchants, deliveryDeadline: NOW - 1 };
    expect(ending("DELIVERY_PROOF", { order })).toEqual(["ending.resumes.Created", "ending.reclaim"]);
  });
});
