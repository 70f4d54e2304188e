// What a merchant is offered, by what the API takes.
import { expect, test } from "bun:test";
import { zeroHash } from "viem";
import { fittingActions } from "./fitting-actions.ts";

type Escrow = NonNullable<Parameters<typeof fittingActions>[1]>;

const HASH = `0x${"ab".repeat(32)}` as const;

const escrow = (changes: Partial<Escrow>): Escrow => ({
  orderStatus: "PENDING",
  settlementStatus: "NONE",
  releaseType: "DELIVERY_PROOF",
  expectedDeliveryHash: zeroHash,
  actualDeliveryHash: null,
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
  for (const releaseType of ["TIME_LOCKED", "MILESTONE_LOCKED"] as const) {
    expect(offered({ ...proven, releaseType })).toEqual(["dispute"]);
  }
});

test("in a dispute, the dispute alone is decided", () => {
  expect(offered({ orderStatus: "DISPUTED" })).toEqual(["resolve"]);
});

test("nothing is offered once it is released, without an escrow, or before the escrow is known", () => {
  expect(offered({ orderStatus: "DELIVERED", settlementStatus: "SCHEDULED" })).toEqual([]);
  expect(offered({ orderStatus: "COMPLETED" })).toEqual([]);
  expect(fittingActions({ status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" }, undefined)).toEqual([]);
});
