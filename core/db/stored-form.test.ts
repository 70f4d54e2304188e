import { describe, it } from "bun:test";
import { expect } from "chai";
import { payout } from "./schema/payouts.ts";
import { toStoredForm } from "./stored-form.ts";

const DIGITS = "0123456789abcdef".repeat(4);

describe("an identifier in a row", () => {
  it("consists of the bytes of its digits, and is read as it was written", () => {
    for (const [column, text, stored] of [
      [payout.intentId, `intent_${DIGITS}`, `\\x${DIGITS}`],
      [payout.settlementTxHash, `0x${DIGITS}`, `\\x${DIGITS}`],
      [payout.id, `payout_${DIGITS.slice(0, 32)}`, DIGITS.slice(0, 32)],
    ] as const) {
      expect(column.mapToDriverValue(text), text).to.equal(stored);
      expect(column.mapFromDriverValue(stored), text).to.equal(text);
    }
    expect(payout.intentId.mapFromDriverValue(Buffer.from(DIGITS, "hex"))).to.equal(`intent_${DIGITS}`);
    expect(payout.id.mapFromDriverValue("01234567-89ab-cdef-0123-456789abcdef")).to.equal(
      `payout_${DIGITS.slice(0, 32)}`,
    );
  });

  it("matches nothing if its text has another form", () => {
    for (const text of [
      "",
      "intent_",
      "intent_xyz",
      `intent_${DIGITS}zz`,
      `intent_${DIGITS.toUpperCase()}`,
      `0x${DIGITS}`,
      DIGITS,
    ]) {
      expect(payout.intentId.mapToDriverValue(text), text).to.equal("\\x");
    }
    const NIL = "00000000-0000-0000-0000-000000000000";
    for (const text of [
      "",
      "payout_1",
      `evt_${DIGITS.slice(0, 32)}`,
      `payout_${DIGITS}`,
      `payout_${DIGITS.slice(0, 31)}'`,
    ]) {
      expect(payout.id.mapToDriverValue(text), text).to.equal(NIL);
    }
  });
});

describe("a row that is passed as JSON", () => {
  it("has its identifiers as the table stores them, and all other values as they are", () => {
    const row = {
      id: `payout_${DIGITS.slice(0, 32)}`,
      intentId: null,
      amount: 5n,
      state: "created",
      other: "0x00",
    };
    expect(toStoredForm(payout)(row)).to.deep.equal({ ...row, id: DIGITS.slice(0, 32) });
  });
});
