// Tests that the merchant is offered only actions that the API accepts.
import { expect, test } from "bun:test";
import { zeroHash } from "viem";
import { availableActions, canComplete } from "./available-actions.ts";

type Intent = Parameters<typeof availableActions>[0];
type Escrow = NonNullable<Parameters<typeof availableActions>[1]>;

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

/** Returns the actions that are offered for a funded payment. */
const offered = (changes: Partial<Escrow>) =>
  availableActions({ status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" }, escrow(changes));

test("before funding, a payment can be canceled, and a failed payout can be retried", () => {
  for (const status of ["INITIATED", "REQUIRES_SIGNATURE"] as const) {
    expect(availableActions({ status, settlementStatus: "PENDING" }, escrow({}))).toEqual(["cancel"]);
  }
  const failed = { status: "REQUIRES_ACTION", settlementStatus: "FAILED" } as const;
  expect(availableActions(failed, escrow({}))).toEqual(["retry"]);
});

test("the payer can be refunded until there is a valid proof", () => {
  expect(offered({})).toEqual(["ship", "prove", "refund", "dispute"]);
  expect(offered({ orderStatus: "SHIPPED" })).toEqual(["prove", "refund", "dispute"]);
  const other = { expectedDeliveryHash: HASH, actualDeliveryHash: zeroHash };
  expect(offered({ orderStatus: "DELIVERED", ...other })).toEqual(["refund", "dispute"]);
});

test("after a valid proof, only an order that waits for nothing else is released manually, and nothing is refunded", () => {
  const proven = { orderStatus: "DELIVERED", expectedDeliveryHash: HASH, actualDeliveryHash: HASH } as const;
  expect(offered(proven)).toEqual(["release", "dispute"]);
  const deliveryOracle = `0x${"12".repeat(20)}` as const;
  for (const releaseType of ["TIME_LOCKED", "MILESTONE_LOCKED"] as const) {
    expect(offered({ ...proven, releaseType, deliveryOracle })).toEqual(["dispute"]);
    // Without an oracle, the merchant's own proof is only evidence for these release types.
    expect(offered({ ...proven, releaseType })).toEqual(["refund", "dispute"]);
  }
});

test("the merchant's single dispute is not offered again, and the payer's dispute does not use it up", () => {
  expect(offered({ disputeSide: "MERCHANT" })).toEqual(["ship", "prove", "refund"]);
  expect(offered({ disputeSide: "PAYER" })).toEqual(["ship", "prove", "refund", "dispute"]);
});

test("a milestone order does not ask for a proof, and its next milestone can be completed while the order is open", () => {
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

test("during a dispute, only the dispute's actions are offered", () => {
  expect(offered({ orderStatus: "DISPUTED" })).toEqual(["evidence", "resolve"]);
});

test("nothing is offered after release, without an escrow, or before the escrow is loaded", () => {
  expect(offered({ orderStatus: "DELIVERED", settlementStatus: "SCHEDULED" })).toEqual([]);
  expect(offered({ orderStatus: "COMPLETED" })).toEqual([]);
  expect(availableActions({ status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" }, undefined)).toEqual([]);
});
