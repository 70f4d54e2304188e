// Tests where the payment page links back to, by payment status.
import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Checkout } from "./payment/checkout.ts";
import { wayBack } from "./way-back.tsx";

const id = `intent_${"1".repeat(64)}`;
const returnUrl = "https://shop.example.com/done";
const cancelUrl = "https://shop.example.com/cart";

const at = (status: string, data: object = {}) =>
  wayBack({
    id,
    status,
    data: { movable: true, order: null, returnUrl, cancelUrl, ...data },
  } as unknown as Checkout)?.url;
const order = { status: "Created" };

describe("the return link", () => {
  it("is the cancel URL while nothing is paid", () => {
    for (const status of ["INITIATED", "REQUIRES_SIGNATURE", "REQUIRES_ACTION", "CANCELED"]) {
      expect(at(status), status).to.equal(cancelUrl);
    }
  });

  it("is the return URL with the payment's id once it is paid", () => {
    for (const status of ["SUCCEEDED", "SETTLED", "FINAL"]) {
      expect(at(status, { order }), status).to.equal(`${returnUrl}?intent=${id}`);
    }
  });

  it("is absent while the payment is in transit or has been refunded", () => {
    expect(at("PROCESSING")).to.equal(undefined);
    expect(at("PROCESSING", { order })).to.equal(undefined);
    expect(at("CANCELED", { order: { status: "Cancelled" } })).to.equal(undefined);
  });

  it("is absent if the merchant set none, or one that is not a web URL", () => {
    expect(at("INITIATED", { cancelUrl: null })).to.equal(undefined);
    expect(at("SUCCEEDED", { order, returnUrl: null })).to.equal(undefined);
    expect(at("SUCCEEDED", { order, returnUrl: "javascript:alert(1)" })).to.equal(undefined);
  });
});
