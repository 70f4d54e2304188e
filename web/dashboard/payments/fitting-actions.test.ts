// What a merchant is offered, by what the API takes.
import { expect, test } from "bun:test";
import { zeroHash } from "viem";
import { canComplete, fittingActions } from "./fitting-actions.ts";

type Intent = Parameters<typeof fittingActions>[0];
type Escrow = NonNullable<Parameters<typeof fittingActions>[1]>;

const HASH = `0x${"ab".repeat(32)}` as const;

const escrow = (changes: Partial<Escrow>): Escrow => ({
  funded: true,
  orderStatus: "PENDING",
  settlementStatus: "NONE",
  releaseType: "DELIVERY_PROOF",
  expectedDeliveryHash: zeroHash,
  actualDeliveryHash: null,
  disputeSide: null,
  ...changes,
});

/** What is offered for a funded payment. */
const offered = (changes: Partial<Escrow>) =>
  fittingActions({ status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" }, escrow(changes));

test("before funding a payment can be canceled, and a failed payout tried again", () => {
  for (const status of ["INITIATED", "REQUIRES_SIGNATURE"] as const) {
    expect(fittingActions({ status, settlementStatus: "PENDING" }, escrow({}))).toEqual(["cancel"]);
  }
  const failed = { status: "REQUIRES_ACTION", settlementStatus: "FAILED" } as const;
  expect(fittingActions(failed, escrow({}))).toEqual(["retry"]);
});

test("until a valid proof the payer can be refunded", () => {
  expect(offered({})).toEqual(["ship", "prove", "refund", "dispute"]);
  expect(offered({ orderStatus: "SHIPPED" })).toEqual(["prove", "refund", "dispute"]);
  const other = { expectedDeliveryHash: HASH, actualDeliveryHash: zeroHash };
  expect(offered({ orderStatus: "DELIVERED", ...other })).toEqual(["refund", "dispute"]);
});

test("after a valid one only what waits for nothing else is released by hand, and nothing is refunded", () => {
  const proven = { orderStatus: "DELIVERED", expectedDeliveryHash: HASH, actualDeliveryHash: HASH } as const;
  expect(offered(proven)).toEqual(["release", "dispute"]);
  const deliveryOracle = `0x${"12".repeat(20)}` as const;
  for (const releaseType of ["TIME_LOCKED", "MILESTONE_LOCKED"] as const) {
    expect(offered({ ...proven, releaseType, deliveryOracle })).toEqual(["dispute"]);
    // Without an oracle the merchant's own proof is evidence there.
    expect(offered({ ...proven, releaseType })).toEqual(["refund", "dispute"]);
  }
});

test("the merchant's one dispute is not offered again, and the payer's takes nothing from it", () => {
  expect(offered({ disputeSide: "MERCHANT" })).toEqual(["ship", "prove", "refund"]);
  expect(offered({ disputeSide: "PAYER" })).toEqual(["ship", "prove", "refund", "dispute"]);
});

test("by milestones, no proof is asked for, and the next is completed while the order is open", () => {
  const byMilestones = { releaseType: "MILESTONE_LOCKED" } as const;
  expect(offered(byMilestones)).toEqual(["ship", "refund", "dispute"]);
  expect(offered({ ...byMilestones, orderStatus: "SHIPPED" })).toEqual(["refund", "dispute"]);
  const completes = (changes: Partial<Escrow>, status: Intent["status"] = "SUCCEEDED") =>
    canComplete({ status, settlementStatus: "IN_PROGRESS" }, escrow({ ...byMilestones, ...changes }));
  for (const orderStatus of ["PENDING", "SHIPPED", "DELIVERED"] as const) {
    expect(completes({ orderStatus })).toBe(true);
  }
  expect(completes({ orderStatus: "DISPUTED" })).toBe(false);
  expect(completes({ orderStatus: "DELIVERED", settlementStatus: "SCHEDULED" })).toBe(false);
  expect(completes({}, "PROCESSING")).toBe(false);
  expect(completes({}, "REQUIRES_ACTION")).toBe(true);
  expect(completes({ funded: false }, "REQUIRES_ACTION")).toBe(false);
});

test("in a dispute, the dispute alone is decided", () => {
  expect(offered({ orderStatus: "DISPUTED" })).toEqual(["evidence", "resolve"]);
});

test("nothing is offered once it is released, without an escrow, or before the escrow is known", () => {
  expect(offered({ orderStatus: "DELIVERED", settlementStatus: "SCHEDULED" })).toEqual([]);
  expect(offered({ orderStatus: "COMPLETED" })).toEqual([]);
  expect(fittingActions({ status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" }, undefined)).toEqual([]);
});
