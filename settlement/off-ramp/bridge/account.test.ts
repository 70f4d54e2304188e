import { describe, it } from "bun:test";
import { expect } from "chai";
import { TransferRefused } from "../off-ramp.ts";
import { accountBody, chooseRail } from "./account.ts";

const BANK = {
  method: "OFF_RAMP_TO_BANK",
  beneficiary: "Café Müller & Söhne Handelsgesellschaft mbH",
} as const;
const RTP = { ...BANK, method: "OFF_RAMP_TO_RTP" } as const;

describe("a destination", () => {
  it("that is an IBAN is paid by SEPA", () => {
    const order = { ...BANK, destination: "DE89 3704 0044 0532 0130 00" };
    expect(accountBody("live", order)).to.deep.include({
      currency: "eur",
      account_type: "iban",
      business_name: BANK.beneficiary,
      iban: { account_number: "DE89370400440532013000" },
    });
    expect(chooseRail("live", order)).to.deep.equal({ payment_rail: "sepa", currency: "eur" });
  });

  it("that is a US account is paid by ACH or RTP, under a name that its bank accepts", () => {
    const destination = "021000021/9876543210";
    expect(accountBody("live", { ...RTP, destination })).to.deep.include({
      account_type: "us",
      account_owner_name: "Cafe Muller & Sohne Handelsgesellsc",
      account: {
        routing_number: "021000021",
        account_number: "9876543210",
        checking_or_savings: "checking",
      },
    });
    expect(chooseRail("live", { ...BANK, destination }).payment_rail).to.equal("ach");
    expect(chooseRail("live", { ...RTP, destination }).payment_rail).to.equal("rtp");
  });

  it("may be any identifier in test mode, and is rejected in live mode before the provider is called", () => {
    const order = { ...RTP, destination: "9876543210" };
    expect(accountBody("test", order)).to.deep.include({ account: { account_number: "9876543210" } });
    expect(() => accountBody("live", order))
      .to.throw(TransferRefused)
      .with.property("message")
      .not.include("9876");
  });
});
