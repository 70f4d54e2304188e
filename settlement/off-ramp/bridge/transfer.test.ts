import { describe, it } from "bun:test";
import { expect } from "chai";
import type { ApiTransfer } from "./api.ts";
import { toTransfer } from "./transfer.ts";

const TRANSFER: ApiTransfer = {
  id: "transfer_1",
  client_reference_id: "reference-1",
  state: "payment_processed",
  amount: "100.5",
  source: { currency: "usdc", bridge_wallet_id: "wallet_1" },
  destination: { currency: "eur" },
  receipt: {
    ...{ developer_fee: "0.10", exchange_fee: "0.25", gas_fee: "0.05" },
    ...{ final_amount: "92.18", exchange_rate: "0.9215" },
  },
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:01:00.000Z",
};

describe("the provider's transfer", () => {
  it("is parsed with exact amounts", () => {
    expect(toTransfer(TRANSFER)).to.deep.equal({
      providerId: "transfer_1",
      reference: "reference-1",
      amount: 100_500_000n,
      fee: 400_000n,
      gas: 50_000n,
      delivered: { amount: 9_218n, currency: "EUR" },
      rate: "0.9215",
      currency: "USDC",
      state: "completed",
      createdAt: new Date(TRANSFER.created_at),
      completedAt: new Date(TRANSFER.updated_at),
      failure: null,
      nextPollAt: null,
    });
  });

  it.each([
    ["awaiting_funds", "pending", null],
    ["in_review", "pending", null],
    ["funds_received", "pending", null],
    ["payment_submitted", "pending", null],
    ["undeliverable", "failed", "could not be delivered"],
    ["canceled", "failed", "canceled"],
    ["returned", "returned", "returned by the receiving bank"],
    ["refunded", "returned", "returned by the receiving bank"],
    // These must not be treated as failures, because another attempt could pay twice.
    ["error", "pending", "its state is error"],
    ["missing_return_policy", "pending", "its state is missing_return_policy"],
    ["toString", "pending", "its state is toString"],
    ["account 9876543210!", "pending", "its state is unknown"],
  ] as const)("in the state %p is %s", (said, state, failure) => {
    const transfer = toTransfer({ ...TRANSFER, state: said });
    expect(transfer).to.include({ state, failure, completedAt: null });
  });

  it("without a receipt has no fee yet, and may lack our reference", () => {
    const { receipt: _, ...bare } = TRANSFER;
    expect(toTransfer({ ...bare, client_reference_id: null })).to.include({ fee: 0n, reference: "" });
  });

  it.each([{ amount: "1.0000001" }, { amount: "-1.0" }, { amount: "1e3" }, { source: { currency: "btc" } }])(
    "is rejected with %p",
    (changes) => {
      expect(() => toTransfer({ ...TRANSFER, ...changes })).to.throw("The provider");
    },
  );
});
