import { expect, test } from "bun:test";
import type { Terms } from "#core/chain/terms.ts";
import { groupForSettlement, listSettled } from "./settlement-groups.ts";

const OPERATOR = "0x00000000000000000000000000000000000000aa";
const OTHER = "0x00000000000000000000000000000000000000bb";
const ZERO = "0x0000000000000000000000000000000000000000000000000000000000000000";

const termsOf = (salt: number, changes: Partial<Terms> = {}): Terms => ({
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
  releaseType: 0,
  autoReleaseOnProof: true,
  expectedDeliveryHash: ZERO,
  ...changes,
});

const saltsOf = (orders: Terms[]) =>
  groupForSettlement(orders).map((group) => group.orders.map((own) => Number(own.salt)));

test("orders that differ only in their own terms form one group", () => {
  const orders = [termsOf(1), termsOf(2, { payee: OPERATOR, payer: OPERATOR })];
  const [group, ...others] = groupForSettlement(orders);
  expect(others).toEqual([]);
  expect(listSettled(groupForSettlement(orders))).toEqual(orders);
  const own = ["amount", "fundingDeadline", "payee", "payer", "salt"];
  expect(group?.orders.map((order) => Object.keys(order).sort())).toEqual([own, own]);
});

test("a difference in any common term results in a separate group", () => {
  const differences: Partial<Terms>[] = [
    { operator: OTHER },
    { arbiter: OPERATOR },
    { deliveryOracle: OPERATOR },
    { offRamp: OPERATOR },
    { token: OPERATOR },
    { deliveryPeriod: 1 },
    { disputeWindow: 1 },
    { timeLockUntil: 1 },
    { releaseType: 1 },
    { autoReleaseOnProof: false },
    { expectedDeliveryHash: ZERO.replace("0x0", "0x1") as Terms["expectedDeliveryHash"] },
  ];
  for (const difference of differences)
    expect(saltsOf([termsOf(1), termsOf(2, difference)])).toEqual([[1], [2]]);
});

test("groups and orders keep the sequence in which they first appear", () => {
  const other = { deliveryPeriod: 1 };
  expect(saltsOf([termsOf(3), termsOf(1, other), termsOf(2), termsOf(4, other)])).toEqual([
    [3, 2],
    [1, 4],
  ]);
  expect(groupForSettlement([])).toEqual([]);
});

test("neither the case of an address nor the order of the fields results in a separate group", () => {
  const { operator, ...rest } = termsOf(2);
  expect(
    saltsOf([
      termsOf(1),
      { ...rest, operator: operator.toUpperCase().replace("0X", "0x") as Terms["operator"] },
    ]),
  ).toEqual([[1, 2]]);
});
