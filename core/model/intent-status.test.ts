import { describe, it } from "bun:test";
import { expect } from "chai";
import { countConfirmations, type DerivedStatus, deriveStatus, type IntentFacts } from "./intent-status.ts";

const CREATED_BLOCK = 100;
const NOW = 1_800_000_000;
const DEADLINE = NOW + 1_000;

type Order = NonNullable<IntentFacts["order"]>;

const order = (changes: Partial<Order> = {}): Order => ({
  status: 0,
  createdBlock: CREATED_BLOCK,
  updatedBlock: CREATED_BLOCK,
  released: 0n,
  settled: 0n,
  withdrawn: 0n,
  ...changes,
});

const completed = order({ status: 4, updatedBlock: 110, released: 100n, settled: 100n });

const NO_PAYOUTS: IntentFacts["payouts"] = {
  submitted: false,
  failed: false,
  completedAmount: 0n,
  finalAt: null,
  providerNotQueried: false,
};
const PAID: IntentFacts["payouts"] = {
  submitted: false,
  failed: false,
  completedAmount: 100n,
  finalAt: NOW + 60,
  providerNotQueried: true,
};

const facts = (changes: Partial<IntentFacts> = {}): IntentFacts => ({
  amount: 100n,
  lastSeen: "INITIATED",
  canceled: false,
  payerAttached: false,
  fundingDeadline: DEADLINE,
  funding: "none",
  head: { block: 200, timestamp: NOW },
  order: null,
  payouts: NO_PAYOUTS,
  now: NOW,
  confirmations: 5,
  confirmationTime: 5,
  ...changes,
});

const LATE = { block: 200, timestamp: DEADLINE + 6 };
const SHALLOW = { block: CREATED_BLOCK + 3, timestamp: NOW };

/**
 * The conditions in order of precedence. Each row contains facts that satisfy the condition, and the resulting status.
 */
const TABLE: [row: string, holds: Partial<IntentFacts>, says: DerivedStatus][] = [
  [
    "payouts confirmed and return window over",
    { order: completed, payouts: { ...PAID, finalAt: NOW, providerNotQueried: false } },
    { status: "FINAL", settlementStatus: "COMPLETED" },
  ],
  [
    "order completed and every payout completed",
    { order: completed, payouts: PAID },
    { status: "SETTLED", settlementStatus: "COMPLETED" },
  ],
  [
    "return window over, but the bank has not been queried since",
    { order: completed, payouts: { ...PAID, finalAt: NOW, providerNotQueried: true } },
    { status: "SETTLED", settlementStatus: "COMPLETED" },
  ],
  [
    "a payout failed permanently",
    { order: completed, payouts: { ...NO_PAYOUTS, failed: true } },
    { status: "REQUIRES_ACTION", settlementStatus: "FAILED" },
  ],
  ["canceled by the merchant", { canceled: true }, { status: "CANCELED", settlementStatus: null }],
  [
    "order cancelled and confirmed, nothing released",
    { order: order({ status: 5, updatedBlock: 150 }) },
    { status: "CANCELED", settlementStatus: null },
  ],
  [
    "order on chain with five confirmations",
    { order: order() },
    { status: "SUCCEEDED", settlementStatus: "IN_PROGRESS" },
  ],
  [
    "order on chain with fewer confirmations",
    { order: order(), head: SHALLOW },
    { status: "PROCESSING", settlementStatus: "PENDING" },
  ],
  [
    "a funding transaction unresolved",
    { funding: "unresolved" },
    { status: "PROCESSING", settlementStatus: "PENDING" },
  ],
  [
    "the funding transaction reverted or dropped",
    { funding: "failed" },
    { status: "REQUIRES_ACTION", settlementStatus: "PENDING" },
  ],
  ["the funding deadline passed", { head: LATE }, { status: "CANCELED", settlementStatus: null }],
  [
    "a payer attached",
    { payerAttached: true },
    { status: "REQUIRES_SIGNATURE", settlementStatus: "PENDING" },
  ],
  ["none of these", {}, { status: "INITIATED", settlementStatus: "PENDING" }],
];

describe("an intent's status", () => {
  it.each(TABLE)("%s", (_row, holds, says) => {
    expect(deriveStatus(facts(holds))).to.deep.equal(says);
  });

  const statusOf = (changes: Partial<IntentFacts>) => deriveStatus(facts(changes)).status;

  it("prefers an earlier row over every later row that also applies", () => {
    const everythingLater = { payerAttached: true, head: LATE } as const;
    expect(statusOf({ ...everythingLater, order: completed, payouts: PAID, canceled: true })).to.equal(
      "SETTLED",
    );
    const failed = { ...NO_PAYOUTS, failed: true };
    expect(statusOf({ ...everythingLater, order: order(), payouts: failed, canceled: true })).to.equal(
      "REQUIRES_ACTION",
    );
    expect(statusOf({ ...everythingLater, order: order(), canceled: true })).to.equal("CANCELED");
    expect(statusOf({ ...everythingLater, order: order(), funding: "failed" })).to.equal("SUCCEEDED");
    expect(statusOf({ ...everythingLater, order: order(), head: SHALLOW, funding: "failed" })).to.equal(
      "PROCESSING",
    );
    expect(statusOf({ ...everythingLater, funding: "unresolved" })).to.equal("PROCESSING");
    expect(statusOf({ ...everythingLater, funding: "failed" })).to.equal("REQUIRES_ACTION");
    expect(statusOf(everythingLater)).to.equal("CANCELED");
  });

  it.each([
    [1, "PROCESSING"],
    [4, "PROCESSING"],
    [5, "SUCCEEDED"],
    [6, "SUCCEEDED"],
  ])("with %d confirmations is %s", (confirmations, status) => {
    const head = { block: CREATED_BLOCK + confirmations - 1, timestamp: NOW };
    expect(statusOf({ order: order(), head })).to.equal(status);
  });

  it.each([1, 2, 3, 4, 6])(
    "is SUCCEEDED for a confirmed order in on-chain status %d that is not paid out",
    (n) => {
      expect(statusOf({ order: order({ status: n, released: 100n }) })).to.equal("SUCCEEDED");
    },
  );

  it("stays SUCCEEDED while a refund is unconfirmed", () => {
    const cancelled = order({ status: 5, updatedBlock: 197 });
    expect(statusOf({ order: cancelled })).to.equal("SUCCEEDED");
    expect(statusOf({ order: { ...cancelled, updatedBlock: 196 } })).to.equal("CANCELED");
  });

  it("is settled, not canceled, if the rest was refunded after a part was released and paid out", () => {
    const cancelled = order({ status: 5, updatedBlock: 110, released: 40n });
    expect(statusOf({ order: cancelled })).to.equal("SUCCEEDED");
    const paid = { ...PAID, completedAmount: 40n };
    expect(statusOf({ order: { ...cancelled, settled: 40n }, payouts: paid })).to.equal("SETTLED");
  });

  it("is not settled while part of the released amount is unpaid", () => {
    expect(statusOf({ order: completed, payouts: { ...PAID, completedAmount: 99n } })).to.equal("SUCCEEDED");
    const half = { ...PAID, completedAmount: 60n };
    expect(statusOf({ order: { ...completed, settled: 60n }, payouts: half })).to.equal("SUCCEEDED");
    expect(statusOf({ order: order({ status: 0 }), payouts: NO_PAYOUTS })).to.equal("SUCCEEDED");
  });

  it("is settled by the payee's own withdrawal, and final only when that is confirmed", () => {
    const withdrawn = order({ status: 4, released: 100n, withdrawn: 100n, updatedBlock: 197 });
    expect(statusOf({ order: withdrawn })).to.equal("SETTLED");
    expect(statusOf({ order: { ...withdrawn, updatedBlock: 196 } })).to.equal("FINAL");
  });

  it("stays settled once a bank has paid, even after a reorg of the order", () => {
    expect(statusOf({ payouts: PAID })).to.equal("SETTLED");
    expect(statusOf({ payouts: PAID, funding: "unresolved" })).to.equal("SETTLED");
    expect(statusOf({ payouts: PAID, order: order(), head: SHALLOW })).to.equal("SETTLED");
    expect(statusOf({ payouts: PAID, order: order() })).to.equal("SETTLED");
    // After a reorg, the order shows a smaller amount than the emitted events did. The rest may belong to a different
    // order.
    const half = {
      payouts: { ...PAID, completedAmount: 40n },
      order: order({ released: 40n, settled: 40n }),
    };
    expect(statusOf({ ...half, lastSeen: "SETTLED" })).to.equal("SETTLED");
    expect(statusOf({ ...half, lastSeen: "SUCCEEDED" })).to.equal("SUCCEEDED");
  });

  it("stays SUCCEEDED while the provider executes a payout whose settlement was reorged", () => {
    const submitted = { ...NO_PAYOUTS, submitted: true };
    expect(statusOf({ payouts: submitted })).to.equal("SUCCEEDED");
    expect(statusOf({ payouts: submitted, funding: "unresolved" })).to.equal("SUCCEEDED");
    expect(statusOf({ payouts: { ...PAID, completedAmount: 40n, submitted: true } })).to.equal("SUCCEEDED");
  });

  it("is final once all of it was paid out and the return window has ended, even after a reorg of the order", () => {
    const kept = { ...PAID, finalAt: NOW, providerNotQueried: false };
    expect(statusOf({ payouts: kept })).to.equal("FINAL");
    expect(statusOf({ payouts: kept, order: order(), head: SHALLOW })).to.equal("FINAL");
    expect(statusOf({ payouts: { ...kept, providerNotQueried: true } })).to.equal("SETTLED");
    // The rest may still be released and paid out.
    expect(statusOf({ payouts: { ...kept, completedAmount: 40n } })).to.equal("SETTLED");
    // The settlement was mined again but is not confirmed yet.
    const again = { ...completed, updatedBlock: 199 };
    expect(statusOf({ payouts: kept, order: again })).to.equal("FINAL");
  });

  it("stays final when only a part was payable, until a bank returns it", () => {
    const kept = { ...PAID, completedAmount: 40n, finalAt: NOW, providerNotQueried: false };
    expect(statusOf({ payouts: kept, lastSeen: "FINAL" })).to.equal("FINAL");
    expect(statusOf({ payouts: kept, lastSeen: "FINAL", order: order(), head: SHALLOW })).to.equal("FINAL");
    expect(statusOf({ payouts: { ...kept, failed: true }, lastSeen: "FINAL" })).to.equal("REQUIRES_ACTION");
  });

  it("is SUCCEEDED while the provider executes an accepted payout", () => {
    expect(statusOf({ order: completed, payouts: { ...NO_PAYOUTS, submitted: true } })).to.equal("SUCCEEDED");
  });

  it("expires by the indexed head's time, five blocks after the deadline, not by the local clock", () => {
    expect(statusOf({ head: { block: 200, timestamp: DEADLINE + 5 } })).to.equal("INITIATED");
    expect(statusOf({ head: { block: 200, timestamp: DEADLINE + 6 } })).to.equal("CANCELED");
    expect(statusOf({ now: DEADLINE + 1_000 })).to.equal("INITIATED");
  });
});

describe("a block's confirmations", () => {
  it("count the head itself as one, and a block above the head as none", () => {
    expect(countConfirmations({ block: 10 }, 10)).to.equal(1);
    expect(countConfirmations({ block: 10 }, 6)).to.equal(5);
    expect(countConfirmations({ block: 10 }, 11)).to.equal(0);
  });
});
