import { describe, it } from "bun:test";
import { expect } from "chai";
import { derivePhases, type Phase, type PhaseFacts } from "./phases.ts";

const ORDER: NonNullable<PhaseFacts["order"]> = {
  status: 0,
  createdAt: 1_020,
  createdBlock: 100,
  deliveredAt: null,
  releasedAt: null,
  endedAt: null,
  disputeRaisedAt: null,
};

const facts = (changes: Partial<PhaseFacts> = {}): PhaseFacts => ({
  status: "INITIATED",
  escrow: true,
  createdAt: 1_000,
  signedAt: null,
  fundingFailedAt: null,
  order: null,
  head: { block: 200 },
  confirmations: 5,
  confirmedAt: 1_030,
  paidOutAt: null,
  ...changes,
});

const brief = (phases: Phase[]) => phases.map(({ phase, status }) => `${phase} ${status}`);

describe("the phases of an intent", () => {
  it("begin with the signature's verification in progress", () => {
    expect(derivePhases(facts())).to.deep.equal([
      { phase: "SIGNATURE_VERIFICATION", status: "IN_PROGRESS", startedAt: 1_000 },
    ]);
  });

  it("wait for the blockchain once the signature is verified", () => {
    expect(derivePhases(facts({ status: "PROCESSING", signedAt: 1_010 }))).to.deep.equal([
      { phase: "SIGNATURE_VERIFICATION", status: "COMPLETED", startedAt: 1_000, completedAt: 1_010 },
      { phase: "BLOCKCHAIN_CONFIRMATION", status: "IN_PROGRESS", startedAt: 1_010 },
    ]);
  });

  it("treat the payer's own transaction as the signature", () => {
    expect(derivePhases(facts({ status: "PROCESSING", order: ORDER, head: { block: 100 } }))).to.deep.equal([
      { phase: "SIGNATURE_VERIFICATION", status: "COMPLETED", startedAt: 1_000, completedAt: 1_020 },
      { phase: "BLOCKCHAIN_CONFIRMATION", status: "IN_PROGRESS", startedAt: 1_020 },
    ]);
  });

  it("lock the escrow at five confirmations but not at four", () => {
    const funded = { status: "SUCCEEDED", signedAt: 1_010, order: ORDER } as const;
    expect(
      brief(derivePhases(facts({ ...funded, status: "PROCESSING", head: { block: 103 } }))),
    ).to.deep.equal(["SIGNATURE_VERIFICATION COMPLETED", "BLOCKCHAIN_CONFIRMATION IN_PROGRESS"]);
    expect(derivePhases(facts({ ...funded, head: { block: 104 } }))).to.deep.equal([
      { phase: "SIGNATURE_VERIFICATION", status: "COMPLETED", startedAt: 1_000, completedAt: 1_010 },
      { phase: "BLOCKCHAIN_CONFIRMATION", status: "COMPLETED", startedAt: 1_010, completedAt: 1_030 },
      { phase: "ESCROW_LOCKED", status: "COMPLETED", startedAt: 1_020, completedAt: 1_030 },
      { phase: "AWAITING_DELIVERY_PROOF", status: "IN_PROGRESS", startedAt: 1_030 },
      { phase: "SETTLEMENT", status: "IN_PROGRESS", startedAt: 1_030 },
    ]);
  });

  it("end the wait for delivery with the proof, or with a release if there is no proof", () => {
    const delivered = { ...ORDER, status: 2, deliveredAt: 1_040 };
    const released = { ...ORDER, status: 3, releasedAt: 1_050 };
    const waitOf = (order: PhaseFacts["order"]) =>
      derivePhases(facts({ status: "SUCCEEDED", order })).find(
        ({ phase }) => phase === "AWAITING_DELIVERY_PROOF",
      );
    expect(waitOf(delivered)).to.include({ status: "COMPLETED", completedAt: 1_040 });
    expect(waitOf(released)).to.include({ status: "COMPLETED", completedAt: 1_050 });
  });

  it("never end before they begin, however early the delivery was proven", () => {
    const early = { ...ORDER, status: 2, deliveredAt: 1_021 };
    for (const phase of derivePhases(facts({ status: "SUCCEEDED", order: early, signedAt: 1_010 }))) {
      if (phase.completedAt !== undefined) expect(phase.completedAt).to.be.at.least(phase.startedAt ?? 0);
    }
  });

  it("fail the wait for delivery when the order was cancelled", () => {
    const cancelled = { ...ORDER, status: 5, endedAt: 1_060 };
    expect(derivePhases(facts({ status: "CANCELED", order: cancelled })).at(-1)).to.deep.equal({
      phase: "AWAITING_DELIVERY_PROOF",
      status: "FAILED",
      startedAt: 1_030,
      completedAt: 1_060,
    });
  });

  it("complete the settlement when the intent is settled, and fail it when the payout failed", () => {
    const order = { ...ORDER, status: 4, releasedAt: 1_050 };
    expect(derivePhases(facts({ status: "SETTLED", order, paidOutAt: 1_090 })).at(-1)).to.deep.equal({
      phase: "SETTLEMENT",
      status: "COMPLETED",
      startedAt: 1_030,
      completedAt: 1_090,
    });
    expect(derivePhases(facts({ status: "FINAL", order })).at(-1)).to.include({ status: "COMPLETED" });
    expect(derivePhases(facts({ status: "REQUIRES_ACTION", order })).at(-1)).to.deep.equal({
      phase: "SETTLEMENT",
      status: "FAILED",
      startedAt: 1_030,
    });
  });

  it("omit the escrow's phases for a payment without escrow", () => {
    const order = { ...ORDER, status: 3, releasedAt: 1_020 };
    expect(brief(derivePhases(facts({ status: "SUCCEEDED", escrow: false, order })))).to.deep.equal([
      "SIGNATURE_VERIFICATION COMPLETED",
      "BLOCKCHAIN_CONFIRMATION COMPLETED",
      "SETTLEMENT IN_PROGRESS",
    ]);
  });

  it("show a failed funding transaction, and an intent that ended unsigned", () => {
    const failed = { status: "REQUIRES_ACTION", signedAt: 1_010, fundingFailedAt: 1_015 } as const;
    expect(derivePhases(facts(failed)).at(-1)).to.deep.equal({
      phase: "BLOCKCHAIN_CONFIRMATION",
      status: "FAILED",
      startedAt: 1_010,
      completedAt: 1_015,
    });
    expect(derivePhases(facts({ status: "CANCELED" }))).to.deep.equal([
      { phase: "SIGNATURE_VERIFICATION", status: "FAILED", startedAt: 1_000 },
    ]);
  });
});
