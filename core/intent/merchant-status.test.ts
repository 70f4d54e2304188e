// Every status of an intent with every state of its order.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { ORDER_STATUSES } from "../chain/terms.ts";
import { deriveMerchantStatus, MERCHANT_STATUSES, type MerchantStatus } from "./merchant-status.ts";
import { INTENT_STATUSES, type IntentStatus } from "./status.ts";

const order = (status: number, released = 0n, refunded = 0n) => ({ status, released, refunded });

/** An intent's status, and what it is called without an order and with each number on chain. */
const TABLE: Record<IntentStatus, [none: MerchantStatus, ...numbers: MerchantStatus[]]> = {
  INITIATED: ["AWAITING_PAYMENT", ...ORDER_STATUSES.map(() => "AWAITING_PAYMENT" as const)],
  REQUIRES_SIGNATURE: ["AWAITING_PAYMENT", ...ORDER_STATUSES.map(() => "AWAITING_PAYMENT" as const)],
  PROCESSING: ["CONFIRMING", ...ORDER_STATUSES.map(() => "CONFIRMING" as const)],
  SUCCEEDED: [
    "RELEASED",
    "IN_ESCROW",
    "SHIPPED",
    "DELIVERED",
    "DELIVERED",
    "RELEASED",
    "CONFIRMING",
    "DISPUTED",
  ],
  SETTLED: ["PAID_OUT", ...ORDER_STATUSES.map(() => "PAID_OUT" as const)],
  FINAL: ["FINAL", ...ORDER_STATUSES.map(() => "FINAL" as const)],
  CANCELED: ["CANCELED", ...ORDER_STATUSES.map(() => "CANCELED" as const)],
  REQUIRES_ACTION: ["NEEDS_ACTION", ...ORDER_STATUSES.map(() => "NEEDS_ACTION" as const)],
};

describe("a payment's status in the merchant's words", () => {
  it.each([...INTENT_STATUSES])("follows %s and the order's number", (status) => {
    const [none, ...numbers] = TABLE[status];
    expect(deriveMerchantStatus(status, null)).to.equal(none);
    expect(ORDER_STATUSES.map((_, number) => deriveMerchantStatus(status, order(number)))).to.deep.equal(
      numbers,
    );
  });

  it("tells a refund from a payment that nobody made", () => {
    expect(deriveMerchantStatus("CANCELED", order(5, 0n, 100n))).to.equal("REFUNDED");
    expect(deriveMerchantStatus("CANCELED", null)).to.equal("CANCELED");
  });

  it("waits for a full refund to be deep, and for the rest of a partial one to be paid out", () => {
    expect(deriveMerchantStatus("SUCCEEDED", order(5, 0n, 100n))).to.equal("CONFIRMING");
    expect(deriveMerchantStatus("SUCCEEDED", order(5, 40n, 60n))).to.equal("RELEASED");
    expect(deriveMerchantStatus("SETTLED", order(5, 40n, 60n))).to.equal("PARTLY_REFUNDED");
    expect(deriveMerchantStatus("FINAL", order(4, 40n, 60n))).to.equal("PARTLY_REFUNDED");
  });

  it("asks for action whatever was refunded", () => {
    expect(deriveMerchantStatus("REQUIRES_ACTION", order(6, 40n, 60n))).to.equal("NEEDS_ACTION");
  });

  it("uses each word that there is", () => {
    const used = INTENT_STATUSES.flatMap((status) => [
      ...TABLE[status],
      deriveMerchantStatus(status, order(5, 40n, 60n)),
    ]);
    expect(new Set(used)).to.deep.equal(new Set(MERCHANT_STATUSES));
  });

  it("refuses a number that the contract does not have", () => {
    expect(() => deriveMerchantStatus("SUCCEEDED", order(7))).to.throw("no order status 7");
  });
});
