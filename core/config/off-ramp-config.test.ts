import { describe, it } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { expect } from "chai";
import { ConfigError } from "./config-error.ts";
import { OffRampVariables, readFees, readMinimums, readProvider } from "./off-ramp-config.ts";

const pem = (key: "rsa" | "ed25519"): string =>
  (key === "rsa"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ed25519")
  ).publicKey
    .export({ type: "spki", format: "pem" })
    .toString();

const GOOD = {
  OFF_RAMP_API_URL: "https://api.example/v0/",
  OFF_RAMP_API_KEY: "key-of-tests",
  OFF_RAMP_CUSTOMER_ID: "customer-1",
  OFF_RAMP_WALLET_ID: "wallet-1",
  OFF_RAMP_WEBHOOK_KEY: pem("rsa"),
};
const REST = {
  OFF_RAMP_TIMEOUT_MS: 4_000,
  ...{ OFF_RAMP_RTP_FEE: "0", OFF_RAMP_BANK_FEE: "0" },
  ...{ OFF_RAMP_RTP_MINIMUM: "1.00", OFF_RAMP_BANK_MINIMUM: "1.00" },
};

function refusalOf(changes: Record<string, string | undefined>): string {
  try {
    readProvider({ ...REST, ...GOOD, ...changes });
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("It was accepted.");
}

describe("the off-ramp provider", () => {
  it("is configured completely or not at all", () => {
    expect(readProvider(REST)).to.equal(undefined);
    expect(readProvider({ ...REST, ...GOOD })).to.include({
      url: "https://api.example/v0",
      timeoutMs: 4_000,
    });
    for (const name of Object.keys(GOOD)) {
      const message = refusalOf({ [name]: undefined });
      expect(message).to.include(`only partly configured. Also set ${name}, or unset`);
      expect(message).not.to.include(GOOD.OFF_RAMP_API_KEY);
    }
  });

  it("receives its API key only over TLS or on the local machine", () => {
    expect(refusalOf({ OFF_RAMP_API_URL: "http://api.example" })).to.include("OFF_RAMP_API_URL");
    const here = readProvider({ ...REST, ...GOOD, OFF_RAMP_API_URL: "http://127.0.0.1:4000" });
    expect(here?.url).to.equal("http://127.0.0.1:4000");
  });

  it("has an RSA key for its webhooks, whose line breaks may be written as \\n", () => {
    const OFF_RAMP_WEBHOOK_KEY = GOOD.OFF_RAMP_WEBHOOK_KEY.replaceAll("\n", "\\n");
    expect(readProvider({ ...REST, ...GOOD, OFF_RAMP_WEBHOOK_KEY })?.webhookKey.asymmetricKeyType).to.equal(
      "rsa",
    );
    for (const key of ["secret", pem("ed25519")]) {
      expect(refusalOf({ OFF_RAMP_WEBHOOK_KEY: key })).to.include("OFF_RAMP_WEBHOOK_KEY");
    }
  });

  it.each([
    ["0", 0n, 0n],
    ["0.25", 25n, 0n],
    ["0.1%", 0n, 10n],
    ["1+0.25%", 100n, 25n],
  ])("may keep a fee of %s", (text, fixed, share) => {
    expect(text).to.match(new RegExp(OffRampVariables.properties.OFF_RAMP_RTP_FEE.pattern ?? ""));
    expect(readFees({ ...REST, OFF_RAMP_RTP_FEE: text }).OFF_RAMP_TO_RTP).to.deep.equal({ fixed, share });
  });

  it.each([
    ["1.00", 100n],
    ["0.01", 1n],
    ["20", 2_000n],
  ])("may have a minimum transfer of %s", (text, minimum) => {
    expect(text).to.match(new RegExp(OffRampVariables.properties.OFF_RAMP_BANK_MINIMUM.pattern ?? ""));
    expect(readMinimums({ ...REST, OFF_RAMP_BANK_MINIMUM: text }).OFF_RAMP_TO_BANK).to.equal(minimum);
  });

  it.each(["0", "0.00", "1.001", "-1", "1e3", ""])("rejects a minimum of %p", (text) => {
    expect(text).not.to.match(new RegExp(OffRampVariables.properties.OFF_RAMP_BANK_MINIMUM.pattern ?? ""));
  });
});
