// Every intent status combined with every order status.
import { describe, it } from "bun:test";
import { expect } from "chai";
import { INTENT_STATUSES, type IntentStatus } from "./intent-status.ts";
import {
  deriveMerchantStatus,
  MERCHANT_STATUSES,
  MERCHANT_STATUSES_OF,
  type MerchantStatus,
} from "./merchant-status.ts";
import { API_ORDER_STATUSES, deriveOrderStatus } from "./order-status.ts";

/** Builds an order as the API shows it for the contract's status number. */
const order = (number: number, releasedAmount = "0.00", refundedAmount = "0.00") => ({
  ...deriveOrderStatus({ status: number }, false),
  funded: true,
  releasedAmount,
  refundedAmount,
});
const NUMBERS = [0, 1, 2, 3, 4, 5, 6];

const always = (word: MerchantStatus): MerchantStatus[] => NUMBERS.map(() => word);

/** The merchant status for each intent status, without an order and with each on-chain status number. */
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

describe("a payment's merchant status", () => {
  it.each([...INTENT_STATUSES])("follows %s and the order's status", (status) => {
    const [none, ...numbers] = TABLE[status];
    expect(deriveMerchantStatus(status, null)).to.equal(none);
    expect(NUMBERS.map((number) => deriveMerchantStatus(status, order(number)))).to.deep.equal(numbers);
  });

  it("covers every order status", () => {
    const shown = NUMBERS.map((number) => order(number).orderStatus);
    expect(new Set(shown)).to.deep.equal(new Set(API_ORDER_STATUSES));
  });

  it("treats an unfunded order like a missing one", () => {
    expect(deriveMerchantStatus("SUCCEEDED", { ...order(0), funded: false })).to.equal("RELEASED");
  });

  it("distinguishes a refund from a payment that was never made", () => {
    expect(deriveMerchantStatus("CANCELED", order(5, "0.00", "100.00"))).to.equal("REFUNDED");
    expect(deriveMerchantStatus("CANCELED", null)).to.equal("CANCELED");
  });

  it("waits for a full refund to be confirmed, and for the rest of a partial one to be paid out", () => {
    expect(deriveMerchantStatus("SUCCEEDED", order(5, "0.00", "100.00"))).to.equal("CONFIRMING");
    expect(deriveMerchantStatus("SUCCEEDED", order(5, "40.00", "60.00"))).to.equal("RELEASED");
    expect(deriveMerchantStatus("SETTLED", order(5, "40.00", "60.00"))).to.equal("PARTLY_REFUNDED");
    expect(deriveMerchantStatus("FINAL", order(4, "40.00", "60.00"))).to.equal("PARTLY_REFUNDED");
  });

  it("requires action even after a partial refund", () => {
    expect(deriveMerchantStatus("REQUIRES_ACTION", order(6, "40.00", "60.00"))).to.equal("NEEDS_ACTION");
  });

  it.each([...INTENT_STATUSES])("can be filtered by an index for each value of %s", (status) => {
    const partial = [order(5, "40.00", "60.00"), order(5, "0.00", "100.00")];
    const derived = [...TABLE[status], ...partial.map((refunded) => deriveMerchantStatus(status, refunded))];
    expect(MERCHANT_STATUSES_OF[status]).to.include.members(derived);
  });

  it("uses every merchant status", () => {
    const used = INTENT_STATUSES.flatMap((status) => [
      ...TABLE[status],
      deriveMerchantStatus(status, order(5, "40.00", "60.00")),
    ]);
    expect(new Set(used)).to.deep.equal(new Set(MERCHANT_STATUSES));
  });
});
