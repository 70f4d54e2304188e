import { describe, it } from "bun:test";
import { expect } from "chai";
import { readBankAccount } from "./bank-account.ts";

describe("a bank account", () => {
  it.each(["DE89370400440532013000", "DE89 3704 0044 0532 0130 00", "gb29nwbk60161331926819"])(
    "may be the IBAN %s for a bank transfer, but not for RTP",
    (iban) => {
      const written = iban.replaceAll(" ", "").toUpperCase();
      expect(readBankAccount("OFF_RAMP_TO_BANK", iban)).to.deep.equal({ kind: "iban", iban: written });
      expect(readBankAccount("OFF_RAMP_TO_RTP", iban)).to.equal(undefined);
    },
  );

  it.each(["021000021/9876543210", "021000021:9876543210"])("may be a US account: %s", (text) => {
    const account = { kind: "us", routingNumber: "021000021", accountNumber: "9876543210" };
    for (const method of ["OFF_RAMP_TO_BANK", "OFF_RAMP_TO_RTP"] as const) {
      expect(readBankAccount(method, text)).to.deep.equal(account);
    }
  });

  it.each([
    "bank_account_123",
    "9876543210",
    "",
    "DE89370400440532013001",
    "DE8937040044053201300",
    "XX00",
    // Valid, but outside SEPA.
    "SA0380000000608010167519",
    // Invalid routing numbers, and account numbers that are missing, malformed, too short or too long.
    "021000022/9876543210",
    "000000000/9876543210",
    "021000021/123",
    "021000021/123456789012345678",
    "021000021",
    "021000021/98765 43210",
  ])("is not %p", (text) => {
    for (const method of ["OFF_RAMP_TO_BANK", "OFF_RAMP_TO_RTP"] as const) {
      expect(readBankAccount(method, text)).to.equal(undefined);
    }
  });
});
