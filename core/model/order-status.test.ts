import { describe, it } from "bun:test";
import { expect } from "chai";
import { deriveOrderStatus } from "./order-status.ts";

describe("an order's status in the API", () => {
  it("is PENDING before the order is on chain", () => {
    expect(deriveOrderStatus(null, false)).to.deep.equal({
      orderStatus: "PENDING",
      settlementStatus: "NONE",
    });
  });

  it.each([
    [0, "PENDING", "NONE"],
    [1, "SHIPPED", "NONE"],
    [2, "DELIVERED", "NONE"],
    [3, "DELIVERED", "SCHEDULED"],
    [4, "COMPLETED", "EXECUTED"],
    [5, "CANCELLED", "CANCELLED"],
    [6, "DISPUTED", "NONE"],
  ])("shows on-chain status %d as %s, settlement %s", (status, orderStatus, settlementStatus) => {
    expect(deriveOrderStatus({ status }, false)).to.deep.equal({ orderStatus, settlementStatus });
  });

  it("confirms the settlement of a completed order once the return window is over", () => {
    expect(deriveOrderStatus({ status: 4 }, true).settlementStatus).to.equal("CONFIRMED");
    expect(deriveOrderStatus({ status: 3 }, true).settlementStatus).to.equal("SCHEDULED");
  });

  it("rejects any other number", () => {
    expect(() => deriveOrderStatus({ status: 7 }, false)).to.throw("Unknown order status: 7");
  });
});
