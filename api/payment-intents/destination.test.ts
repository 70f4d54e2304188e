import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Mode, SettlementMethod } from "#core/db/schema.ts";
import { ServiceError } from "#core/errors.ts";
import { requireDestination } from "./destination.ts";

function refusalOf(mode: Mode, method: SettlementMethod, destination: string): ServiceError | undefined {
  try {
    requireDestination(mode, method, destination);
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    return error as ServiceError;
  }
}

describe("a settlement destination", () => {
  it.each(["DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "gb29nwbk60161331926819"])(
    "of a live bank transfer may be the IBAN %s",
    (iban) => {
      expect(refusalOf("live", "OFF_RAMP_TO_BANK", iban)).to.equal(undefined);
    },
  );

  it.each(["bank_account_123", "DE89370400440532013001", "DE8937040044053201300", "XX00", "12345678"])(
    "of a live bank transfer is refused that is no IBAN, and never said back: %s",
    (text) => {
      const refusal = refusalOf("live", "OFF_RAMP_TO_BANK", text);
      expect(refusal?.toBody().error).to.include({ code: "invalid_request", param: "settlementDestination" });
      expect(refusal?.message).not.to.include(text);
    },
  );

  it("of a live real-time payment is an identifier without spaces", () => {
    for (const text of ["merchant@bank.example", "+491701234567", "rtp-021000021:1234567890"]) {
      expect(refusalOf("live", "OFF_RAMP_TO_RTP", text)).to.equal(undefined);
    }
    for (const text of ["ab", "two words", "a\tb", "x".repeat(141)]) {
      expect(refusalOf("live", "OFF_RAMP_TO_RTP", text)?.status).to.equal(400);
    }
  });

  it("in test mode is any text", () => {
    for (const method of ["OFF_RAMP_TO_BANK", "OFF_RAMP_TO_RTP", "OFF_RAMP_MOCK"] as const) {
      expect(refusalOf("test", method, "bank_account_123")).to.equal(undefined);
    }
  });
});
