// Tests whether the data shown on the page matches the data that the id in its URL commits to.
import { describe, expect, test } from "bun:test";
import { zeroAddress, zeroHash } from "viem";
import { orderIdOf, restoreTerms } from "#core/chain/terms.ts";
import { type IntentId, toIntentId } from "#core/ids.ts";
import type { Checkout } from "./checkout.ts";
import { verify } from "./verify.ts";

const ONE = "0x1111111111111111111111111111111111111111";
const TWO = "0x2222222222222222222222222222222222222222";
const CHAIN = 31_337;

const terms = {
  salt: zeroHash,
  operator: ONE,
  arbiter: zeroAddress,
  deliveryOracle: zeroAddress,
  payee: TWO,
  payer: zeroAddress,
  offRamp: ONE,
  token: ONE,
  amount: "100000000",
  fundingDeadline: 1_800_000_000,
  deliveryPeriod: 60,
  disputeWindow: 60,
  timeLockUntil: 0,
  releaseType: 0,
  autoReleaseOnProof: false,
  expectedDeliveryHash: zeroHash,
} as const;

const id = toIntentId(orderIdOf(CHAIN, ONE, restoreTerms(terms)));

const checkout = (data: object = {}, more: object = {}): Checkout =>
  ({
    id,
    data: {
      chainId: CHAIN,
      contractAddress: ONE,
      amount: "100.00",
      currency: "USDC",
      decimals: 6,
      type: "DELIVERY_VS_PAYMENT",
      terms,
      ...data,
    },
    ...more,
  }) as unknown as Checkout;

describe("a payment", () => {
  test("matches its id, and its typed data names the payer", () => {
    const verified = verify(id, checkout());
    expect(verified?.terms.amount).toBe(100_000_000n);
    expect(verified?.typedDataFor(TWO).message).toMatchObject({
      intentId: id,
      payer: TWO,
      amount: "100000000",
    });
    expect(verified?.typedDataFor(TWO).domain).toMatchObject({ chainId: CHAIN, verifyingContract: ONE });
  });

  test("can use any token of the network", () => {
    expect(verify(id, checkout({ currency: "EURX", decimals: 6 }))?.terms.amount).toBe(100_000_000n);
    expect(verify(id, checkout({ currency: "EURX", decimals: 18 }))).toBeUndefined();
  });

  test("with any changed term is rejected", () => {
    const changes: Record<keyof typeof terms, unknown> = {
      salt: `0x${"01".repeat(32)}`,
      operator: TWO,
      arbiter: TWO,
      deliveryOracle: TWO,
      payee: ONE,
      payer: TWO,
      offRamp: TWO,
      token: TWO,
      amount: "100000001",
      fundingDeadline: 1_800_000_001,
      deliveryPeriod: 61,
      disputeWindow: 61,
      timeLockUntil: 1,
      releaseType: 1,
      autoReleaseOnProof: true,
      expectedDeliveryHash: `0x${"01".repeat(32)}`,
    };
    for (const [name, value] of Object.entries(changes)) {
      expect(verify(id, checkout({ terms: { ...terms, [name]: value } })), name).toBeUndefined();
    }
  });

  test("on a different chain, in a different contract, or under a different id is rejected", () => {
    const other = `intent_${"0".repeat(64)}` as IntentId;
    expect(verify(id, checkout({ chainId: 1 }))).toBeUndefined();
    expect(verify(id, checkout({ contractAddress: TWO }))).toBeUndefined();
    expect(verify(other, checkout())).toBeUndefined();
    expect(verify(id, checkout({}, { id: other }))).toBeUndefined();
  });

  test("that shows a different amount, currency or type than its id commits to is rejected", () => {
    expect(verify(id, checkout({ amount: "1.00" }))).toBeUndefined();
    expect(verify(id, checkout({ currency: "DAI" }))).toBeUndefined();
    expect(verify(id, checkout({ currency: "DAI", decimals: 18 }))).toBeUndefined();
    expect(verify(id, checkout({ currency: "EUR", decimals: 1.5 }))).toBeUndefined();
    expect(verify(id, checkout({ type: "CONDITIONAL" }))).toBeUndefined();
  });

  test("with malformed terms is rejected", () => {
    for (const wrong of [{ ...terms, amount: "x" }, { ...terms, payee: "0x" }, null, "terms"]) {
      expect(verify(id, checkout({ terms: wrong }))).toBeUndefined();
    }
  });
});
