import { expect, test } from "bun:test";
import { encodeFunctionData, type Hex, zeroHash } from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { orderIdOf, type Terms } from "#core/chain/terms.ts";
import { groupForSettlement } from "../escrow/settlement-groups.ts";
import { decodeSent } from "./decode-sent.ts";

const CONTRACT = "0x00000000000000000000000000000000000000C0";
const OPERATOR = "0x00000000000000000000000000000000000000AA";
const OTHER = "0x00000000000000000000000000000000000000bb";
const deployment = { chainId: 31_337, contract: CONTRACT } as const;

const termsOf = (salt: number): Terms => ({
  salt: `0x${salt.toString(16).padStart(64, "0")}`,
  operator: OPERATOR,
  arbiter: OTHER,
  deliveryOracle: OTHER,
  payee: OTHER,
  payer: OTHER,
  offRamp: OTHER,
  token: OTHER,
  amount: BigInt(salt),
  fundingDeadline: salt,
  deliveryPeriod: 86_400,
  disputeWindow: 86_400,
  timeLockUntil: 0,
  releaseType: salt % 2,
  autoReleaseOnProof: true,
  expectedDeliveryHash: zeroHash,
});
const idOf = (terms: Terms) => orderIdOf(deployment.chainId, CONTRACT, terms);
const decode = (input: Hex, to: Hex | null = CONTRACT) =>
  decodeSent({ to, from: OPERATOR, input }, deployment);

test("a settlement of a batch names each of its orders, across groups", () => {
  const orders = [termsOf(1), termsOf(2), termsOf(3)];
  const args = [groupForSettlement(orders)] as const;
  const data = encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName: "settle", args });
  const { purpose, orderIds } = decode(data) ?? {};
  expect(purpose).toBe("settle");
  expect(orderIds?.toSorted()).toEqual(orders.map(idOf).toSorted());
});

test("a call about one order names it, even if a payer or an oracle has signed the call", () => {
  const terms = termsOf(7);
  const abi = deliveryVsPaymentAbi;
  const calls = [
    encodeFunctionData({ abi, functionName: "createOrderFor", args: [terms, OTHER, false, "0x01"] }),
    encodeFunctionData({
      ...{ abi, functionName: "createOrderWithAuthorization" },
      args: [terms, OTHER, 0n, 1n, "0x01"],
    }),
    encodeFunctionData({ abi, functionName: "releaseMilestoneFor", args: [terms, 5n, "0x01"] }),
    encodeFunctionData({ abi, functionName: "refund", args: [terms, 5n] }),
  ];
  expect(calls.map((data) => decode(data))).toEqual(
    (["create_order", "create_order", "release_milestone", "refund"] as const).map((purpose) => ({
      purpose,
      orderIds: [idOf(terms)],
    })),
  );
});

test("a transaction that fills a nonce has no order", () => {
  expect(decode("0x", OPERATOR)).toEqual({ purpose: "fill_nonce", orderIds: [] });
});

test("calls that the relayer never sends are not decoded", () => {
  const data = encodeFunctionData({ abi: deliveryVsPaymentAbi, functionName: "claimCredit", args: [OTHER] });
  expect(decode(data)).toBe(undefined);
  expect(decode("0xdeadbeef")).toBe(undefined);
  expect(decode(data, OTHER)).toBe(undefined);
  expect(decode(data, null)).toBe(undefined);
});

test("terms with a number beyond its type are not decoded", () => {
  const data = encodeFunctionData({
    ...{ abi: deliveryVsPaymentAbi, functionName: "refund" },
    args: [{ ...termsOf(7), amount: 0x1234n }, 5n],
  });
  const word = `${"0".repeat(60)}1234`;
  expect(data.split(word)).toHaveLength(2);
  expect(decode(data.replace(word, "f".repeat(64)) as Hex)).toBe(undefined);
});
