// Where the payment page leads back to, by where the payment stands.
import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Checkout } from "./checkout.ts";
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

describe("the way back", () => {
  it("is the cancel address while nothing is paid", () => {
    for (const status of ["INITIATED", "REQUIRES_SIGNATURE", "REQUIRES_ACTION", "CANCELED"]) {
      expect(at(status), status).to.equal(cancelUrl);
    }
  });

  it("is the return address once it is paid, naming the payment", () => {
    for (const status of ["SUCCEEDED", "SETTLED", "FINAL"]) {
      expect(at(status, { order }), status).to.equal(`${returnUrl}?intent=${id}`);
    }
  });

  it("is none while the payment is on its way, or went back to its payer", () => {
    expect(at("PROCESSING")).to.equal(undefined);
    expect(at("PROCESSING", { order })).to.equal(undefined);
    expect(at("CANCELED", { order: { status: "Cancelled" } })).to.equal(undefined);
  });

  it("is none where the merchant names none, or no web address", () => {
    expect(at("INITIATED", { cancelUrl: null })).to.equal(undefined);
    expect(at("SUCCEEDED", { order, returnUrl: null })).to.equal(undefined);
    expect(at("SUCCEEDED", { order, returnUrl: "javascript:alert(1)" })).to.equal(undefined);
  });
});
