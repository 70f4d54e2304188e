import { describe, it } from "bun:test";
import { expect } from "chai";
import type { Config } from "#core/config/config.ts";
import { ServiceError } from "#core/errors.ts";
import type { SettlementMethod } from "#core/model/settlement-method.ts";
import { SETTLEMENT_METHODS } from "#core/model/settlement-method.ts";
import { requireDestination, requireMethod } from "./destination.ts";

function refusalOf(check: () => void): ServiceError | undefined {
  try {
    check();
  } catch (error) {
    expect(error).to.be.instanceOf(ServiceError);
    return error as ServiceError;
  }
}

const destinationOf = (mode: Config["mode"], method: SettlementMethod, destination: string) =>
  refusalOf(() => requireDestination({ mode }, method, destination));

describe("a settlement destination", () => {
  it("in live mode is an account that the method can pay to, and is never echoed", () => {
    expect(destinationOf("live", "OFF_RAMP_TO_BANK", "DE89 3704 0044 0532 0130 00")).to.equal(undefined);
    expect(destinationOf("live", "OFF_RAMP_TO_RTP", "021000021/9876543210")).to.equal(undefined);
    for (const method of ["OFF_RAMP_TO_BANK", "OFF_RAMP_TO_RTP"] as const) {
      const refusal = destinationOf("live", method, "bank_account_123");
      expect(refusal?.toBody("req_1").error).to.include({
        code: "invalid_request",
        param: "settlementDestination",
      });
      expect(refusal?.message).not.to.include("bank_account_123");
    }
  });

  it("in test mode can be any text", () => {
    for (const method of SETTLEMENT_METHODS) {
      expect(destinationOf("test", method, "9876543210")).to.equal(undefined);
    }
  });
});

describe("a settlement method", () => {
  const provider = {} as NonNullable<Config["provider"]>;
  const refused = (gateway: Parameters<typeof requireMethod>[0], method: SettlementMethod) =>
    refusalOf(() => requireMethod(gateway, method))?.toBody("req_1").error.param;

  it("that pays nobody is only for test mode", () => {
    const environment = "production";
    expect(refused({ mode: "live", environment, provider }, "OFF_RAMP_MOCK")).to.equal("settlementMethod");
    expect(refused({ mode: "test", environment, provider }, "OFF_RAMP_MOCK")).to.equal(undefined);
  });

  it("that needs a provider is rejected without one; locally the mock bank replaces it", () => {
    for (const method of ["OFF_RAMP_TO_BANK", "OFF_RAMP_TO_RTP"] as const) {
      for (const mode of ["test", "live"] as const) {
        const none = { mode, environment: "production", provider: undefined } as const;
        expect(refused(none, method)).to.equal("settlementMethod");
        expect(refused({ ...none, provider }, method)).to.equal(undefined);
      }
      const local = { mode: "test", environment: "local", provider: undefined } as const;
      expect(refused(local, method)).to.equal(undefined);
    }
  });
});
