import { expect, test } from "bun:test";
import type { Deployment } from "#core/deployment/deployment.ts";
import { type IntentId, toIntentId } from "#core/ids.ts";
import { payoutReference } from "#core/payouts/payout-reference.ts";
import type { SettledPayment } from "../payouts/read-payments.ts";
import type { Context } from "../runtime/context.ts";
import { findKnown } from "./find-known-payouts.ts";
import type { AccountTransfer } from "./rebuild-attempts.ts";

const CREATED = Date.parse("2026-01-01T00:00:00Z");
const PLANNED = 1_000;
const id: IntentId = toIntentId(`0x${"ab".repeat(32)}`);

/** A deployment that counts the references that are computed. */
function countReferences() {
  let count = 0;
  const deployment = {
    get chainId() {
      count += 1;
      return 31_337;
    },
    genesisHash: `0x${"01".repeat(32)}`,
    contract: `0x${"02".repeat(20)}`,
  } as Deployment;
  return { deployment, counted: () => count };
}

const payment = {
  intent: { id, currency: "USDC", amount: 1_000n, createdAt: new Date(CREATED), terms: { releaseType: 1 } },
  milestones: [],
  settlements: [],
  parts: [],
} as unknown as SettledPayment;

function findAmong(changes: {
  settlementNumber?: number;
  part?: number;
  transfer?: Partial<AccountTransfer["transfer"]>;
}) {
  const { deployment, counted } = countReferences();
  const place = { settlementNumber: changes.settlementNumber ?? 1, part: changes.part ?? 0, attempt: 1 };
  const reference = payoutReference(deployment, { intentId: id, ...place });
  const transfer = {
    ...{ reference, amount: 400n, currency: "USDC", state: "completed", createdAt: new Date(CREATED + 1) },
    ...changes.transfer,
  } as AccountTransfer["transfer"];
  const before = counted();
  const transfers = new Map([[reference, { account: "bank", transfer }]]);
  const found = findKnown({ deployment } as Context, payment, PLANNED, { block: 9 }, transfers);
  return { found, computed: counted() - before };
}

test("a payment with 1,000 milestones is not searched if no transfer can be its payout", () => {
  const others = [{ currency: "DAI" }, { amount: 1_001n }] as const;
  for (const transfer of others) expect(findAmong({ transfer })).toEqual({ found: [], computed: 0 });
});

test("the search ends when every transfer that can be the payment's is found", () => {
  const { found, computed } = findAmong({ settlementNumber: 3 });
  expect(found.map(({ slot }) => [slot.settlementNumber, slot.part])).toEqual([[3, 0]]);
  expect(computed).toBeLessThan(200);
});

test("a transfer is found that is older than its payment, which was restored with its order's time", () => {
  const { found } = findAmong({ transfer: { createdAt: new Date(CREATED - 86_400_000) } });
  expect(found).toHaveLength(1);
});

test("every part is found of a settlement that paid more than a hundred milestones", () => {
  const { found } = findAmong({ part: 149 });
  expect(found.map(({ slot }) => [slot.settlementNumber, slot.part])).toEqual([[1, 149]]);
});

test("a payout of a late settlement is found", () => {
  const { found } = findAmong({ settlementNumber: 150 });
  expect(found.map(({ slot }) => [slot.settlementNumber, slot.amount])).toEqual([[150, 400n]]);
});
