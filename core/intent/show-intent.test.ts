import { describe, it } from "bun:test";
import { expect } from "chai";
import { type Address, zeroAddress, zeroHash } from "viem";
import { storeTerms } from "../chain/terms.ts";
import type { Mode } from "../model/mode.ts";
import { type IntentRow, type IntentView, viewOfNew } from "./read-intent.ts";
import { type Audience, showIntent } from "./show-intent.ts";

const ACCOUNT: Address = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const DESTINATION = "DE89 3704 0044 0532 0130 00";

const config = {
  chain: { id: 1, contract: ACCOUNT, confirmations: 5, blockTime: 1 },
  paymentPageUrl: "https://pay.example",
} as Parameters<typeof showIntent>[1];

const terms = storeTerms({
  salt: zeroHash,
  payee: ACCOUNT,
  operator: ACCOUNT,
  arbiter: ACCOUNT,
  payer: zeroAddress,
  offRamp: ACCOUNT,
  deliveryOracle: zeroAddress,
  token: ACCOUNT,
  amount: 1n,
  fundingDeadline: 1_000,
  deliveryPeriod: 60,
  disputeWindow: 60,
  timeLockUntil: 0,
  releaseType: 0,
  autoReleaseOnProof: false,
  expectedDeliveryHash: zeroHash,
});

const order = {
  status: 0,
  payer: ACCOUNT,
  createTxHash: zeroHash,
  createdBlock: 1,
} as unknown as NonNullable<IntentView["order"]>;

function show(mode: Mode, audience: Audience, isFunded: boolean) {
  const row = {
    ...{ id: `intent_${"0".repeat(64)}`, mode, type: "DELIVERY_VS_PAYMENT", terms },
    ...{ amount: 1n, currency: "USDC", settlementDestination: DESTINATION, lastEmittedStatus: "INITIATED" },
    ...{ metadata: { order: "A-1", private_note: "margin 12 %" }, signer: null, signedAt: null },
    ...{ payer: null, canceledAt: null, createdAt: new Date(0), updatedAt: new Date(0), description: null },
  } as unknown as IntentRow;
  const view = viewOfNew(row, config);
  const { settlementDestination, metadata } = showIntent(isFunded ? { ...view, order } : view, config, {
    audience,
  });
  return { settlementDestination, own: Object.keys(metadata).filter((key) => row.metadata[key]) };
}

const COMPLETE = { settlementDestination: DESTINATION, own: ["order", "private_note"] };
const MASKED = { settlementDestination: "************0 00", own: ["order"] };

describe("an intent's destination and private metadata", () => {
  it("are hidden from the public in live mode, even before the payment is funded", () => {
    expect(show("live", "public", false)).to.deep.equal(MASKED);
    expect(show("live", "public", true)).to.deep.equal(MASKED);
  });

  it("are hidden from the public in test mode once the order is on chain, which shows the intent's id", () => {
    expect(show("test", "public", false)).to.deep.equal(COMPLETE);
    expect(show("test", "public", true)).to.deep.equal(MASKED);
  });

  it("are shown to the merchant", () => {
    for (const mode of ["test", "live"] as const) {
      for (const isFunded of [false, true]) {
        expect(show(mode, "merchant", isFunded)).to.deep.equal(COMPLETE);
      }
    }
  });
});
