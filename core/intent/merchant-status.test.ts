// Every status of an intent with every state of its order.
import { describe, it } from "bun:test";
import { expect } from "chai";
import {
  deriveMerchantStatus,
  MERCHANT_STATUSES,
  MERCHANT_STATUSES_OF,
  type MerchantStatus,
} from "./merchant-status.ts";
import { ORDER_STATUSES_SHOWN, showOrderStatus } from "./order-status.ts";
import { INTENT_STATUSES, type IntentStatus } from "./status.ts";

/** An order as the API shows the contract's number for its status. */
const order = (number: number, releasedAmount = "0.00", refundedAmount = "0.00") => ({
  ...showOrderStatus({ status: number }, false),
  funded: true,
  releasedAmount,
  refundedAmount,
});
const NUMBERS = [0, 1, 2, 3, 4, 5, 6];

const always = (word: MerchantStatus): MerchantStatus[] => NUMBERS.map(() => word);

/** An intent's status, and what it is called without an order and with each number on chain. */
const TABLE: Record<IntentStatus, [none: MerchantStatus, ...numbers: MerchantStatus[]]> = {
  INITIATED: ["AWAITING_PAYMENT", ...always("AWAITING_PAYMENT")],
  REQUIRES_SIGNATURE: ["AWAITING_PAYMENT", ...always("AWAITING_PAYMENT")],
  PROCESSING: ["CONFIRMING", ...always("CONFIRMING")],
  SUCCEEDED: [
    "RELEASED",
    "IN_ESCROW",
    "SHIPPED",
    "DELIVERED",
    "RELEASED",
    "RELEASED",
    "CONFIRMING",
    "DISPUTED",
  ],
  SETTLED: ["PAID_OUT", ...always("PAID_OUT")],
  FINAL: ["FINAL", ...always("FINAL")],
  CANCELED: ["CANCELED", ...always("CANCELED")],
  REQUIRES_ACTION: ["NEEDS_ACTION", ...always("NEEDS_ACTION")],
};

describe("a payment's status in the merchant's words", () => {
  it.each([...INTENT_STATUSES])("follows %s and the order's status", (status) => {
    const [none, ...numbers] = TABLE[status];
    expect(deriveMerchantStatus(status, null)).to.equal(none);
    expect(NUMBERS.map((number) => deriveMerchantStatus(status, order(number)))).to.deep.equal(numbers);
  });

  it("knows every status of an order", () => {
    const shown = NUMBERS.map((number) => order(number).orderStatus);
    expect(new Set(shown)).to.deep.equal(new Set(ORDER_STATUSES_SHOWN));
  });

  it("takes an order that is not funded for none", () => {
    expect(deriveMerchantStatus("SUCCEEDED", { ...order(0), funded: false })).to.equal("RELEASED");
  });

  it("distinguishes a refund from a payment that nobody made", () => {
    expect(deriveMerchantStatus("CANCELED", order(5, "0.00", "100.00"))).to.equal("REFUNDED");
    expect(deriveMerchantStatus("CANCELED", null)).to.equal("CANCELED");
  });

  it("waits for a full refund to be deep, and for the rest of a partial one to be paid out", () => {
    expect(deriveMerchantStatus("SUCCEEDED", order(5, "0.00", "100.00"))).to.equal("CONFIRMING");
    expect(deriveMerchantStatus("SUCCEEDED", order(5, "40.00", "60.00"))).to.equal("RELEASED");
    expect(deriveMerchantStatus("SETTLED", order(5, "40.00", "60.00"))).to.equal("PARTLY_REFUNDED");
    expect(deriveMerchantStatus("FINAL", order(4, "40.00", "60.00"))).to.equal("PARTLY_REFUNDED");
  });

  it("asks for action even after a partial refund", () => {
    expect(deriveMerchantStatus("REQUIRES_ACTION", order(6, "40.00", "60.00"))).to.equal("NEEDS_ACTION");
  });

  it.each([...INTENT_STATUSES])("is found by an index for each that %s can be", (status) => {
    const partial = [order(5, "40.00", "60.00"), order(5, "0.00", "100.00")];
    const derived = [...TABLE[status], ...partial.map((refunded) => deriveMerchantStatus(status, refunded))];
    expect(MERCHANT_STATUSES_OF[status]).to.include.members(derived);
  });

  it("uses each word that there is", () => {
    const used = INTENT_STATUSES.flatMap((status) => [
      ...TABLE[status],
      deriveMerchantStatus(status, order(5, "40.00", "60.00")),
    ]);
    expect(new Set(used)).to.deep.equal(new Set(MERCHANT_STATUSES));
  });
});
