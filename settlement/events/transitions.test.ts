import { describe, it } from "bun:test";
import { expect } from "chai";
import type { IntentStatus } from "#core/model/intent-status.ts";
import { stepsBetween } from "./transitions.ts";

const says = (from: IntentStatus, to: IntentStatus, more: { before?: IntentStatus; funded?: boolean } = {}) =>
  stepsBetween(
    { status: from, before: more.before ?? null },
    { status: to, funded: more.funded ?? false },
  ).map((step) => `${step.from} ${step.type.replace("payment_intent.", "")} ${step.to}`);

describe("the steps between two observed statuses", () => {
  it("are none when nothing changed", () => {
    expect(says("PROCESSING", "PROCESSING")).to.deep.equal([]);
  });

  it("are a single step when no status was skipped", () => {
    expect(says("INITIATED", "PROCESSING")).to.deep.equal(["INITIATED processing PROCESSING"]);
    expect(says("SETTLED", "FINAL")).to.deep.equal(["SETTLED final FINAL"]);
  });

  it("fill in what was skipped, in order", () => {
    expect(says("INITIATED", "FINAL")).to.deep.equal([
      "INITIATED processing PROCESSING",
      "PROCESSING succeeded SUCCEEDED",
      "SUCCEEDED settled SETTLED",
      "SETTLED final FINAL",
    ]);
  });

  it("do not fill in the optional wait for a signature", () => {
    expect(says("INITIATED", "PROCESSING")).to.deep.equal(["INITIATED processing PROCESSING"]);
    expect(says("INITIATED", "REQUIRES_SIGNATURE")).to.deep.equal([
      "INITIATED requires_signature REQUIRES_SIGNATURE",
    ]);
    expect(says("REQUIRES_SIGNATURE", "SUCCEEDED")).to.deep.equal([
      "REQUIRES_SIGNATURE processing PROCESSING",
      "PROCESSING succeeded SUCCEEDED",
    ]);
  });

  it("revert once, even across several statuses", () => {
    expect(says("SUCCEEDED", "PROCESSING")).to.deep.equal(["SUCCEEDED reverted PROCESSING"]);
    expect(says("SETTLED", "INITIATED")).to.deep.equal(["SETTLED reverted INITIATED"]);
  });

  it("reach a failure through the statuses that were reached before it", () => {
    expect(says("INITIATED", "REQUIRES_ACTION")).to.deep.equal([
      "INITIATED processing PROCESSING",
      "PROCESSING requires_action REQUIRES_ACTION",
    ]);
    expect(says("PROCESSING", "REQUIRES_ACTION", { funded: true })).to.deep.equal([
      "PROCESSING succeeded SUCCEEDED",
      "SUCCEEDED requires_action REQUIRES_ACTION",
    ]);
    expect(says("SETTLED", "REQUIRES_ACTION", { funded: true })).to.deep.equal([
      "SETTLED requires_action REQUIRES_ACTION",
    ]);
  });

  it("leave a failure from the status at which it stopped the payment", () => {
    expect(says("REQUIRES_ACTION", "PROCESSING", { before: "PROCESSING" })).to.deep.equal([
      "REQUIRES_ACTION processing PROCESSING",
    ]);
    expect(says("REQUIRES_ACTION", "SUCCEEDED", { before: "PROCESSING" })).to.deep.equal([
      "REQUIRES_ACTION succeeded SUCCEEDED",
    ]);
    expect(says("REQUIRES_ACTION", "SETTLED", { before: "SUCCEEDED" })).to.deep.equal([
      "REQUIRES_ACTION settled SETTLED",
    ]);
    expect(says("REQUIRES_ACTION", "INITIATED", { before: "PROCESSING" })).to.deep.equal([
      "REQUIRES_ACTION reverted INITIATED",
    ]);
  });

  it("end with a cancellation, and revert a cancellation that no longer holds", () => {
    expect(says("INITIATED", "CANCELED")).to.deep.equal(["INITIATED canceled CANCELED"]);
    expect(says("CANCELED", "PROCESSING")).to.deep.equal(["CANCELED reverted PROCESSING"]);
  });
});
