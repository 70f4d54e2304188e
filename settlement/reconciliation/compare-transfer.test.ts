import { describe, it } from "bun:test";
import { expect } from "chai";
import { compareTransfer, type Payout } from "./compare-transfer.ts";
import type { ListedTransfer } from "./discrepancy.ts";

const payout: Payout = {
  ...{ id: "payout_1", intent: "intent_1", reference: "ref_1", merchantId: "merchant_1" },
  ...{ state: "completed", amount: "100000000", fee: "0", currency: "USDC" },
  ...{ account: "bridge", providerId: "transfer_1", createdAt: "2026-01-01", updatedAt: "2026-01-01" },
};
const transfer: ListedTransfer = {
  ...{ account: "bridge", providerId: "transfer_1", reference: "ref_1" },
  ...{ amount: "100000000", fee: "0", currency: "USDC", state: "completed" },
  ...{ createdAt: Date.UTC(2026, 0, 1), readAt: "2026-01-02T00:00:00Z" },
};

const identify = (changes: Partial<ListedTransfer>, own: Partial<Payout> = {}) =>
  compareTransfer({ ...payout, ...own }, { ...transfer, ...changes }).map(({ identity }) => identity);

describe("a difference between a payout and its transfer", () => {
  it("stays the same when the transfer's state or fee changes, if the amount is what differs", () => {
    const [first] = identify({ amount: "90000000", state: "pending" });
    expect(first).to.be.a("string");
    expect(identify({ amount: "90000000", fee: "1000" })).to.deep.equal([first]);
  });

  it.each([
    ["amount", { amount: "80000000" }],
    ["currency", { amount: "90000000", currency: "DAI" }],
    ["transfer", { amount: "90000000", providerId: "transfer_2" }],
    ["account", { amount: "90000000", account: "bvnk" }],
    ["fee", { fee: "1000" }],
    ["state", { state: "returned" }],
  ] satisfies [string, Partial<ListedTransfer>][])("is another one with another %s", (_what, changes) => {
    const found = identify(changes);
    expect(found).to.have.length(1);
    expect(found).not.to.deep.equal(identify({ amount: "90000000" }));
  });
});
