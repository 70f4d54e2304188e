import { describe, it } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { expect } from "chai";
import { readAccounts, requireDistinct } from "./off-ramp-accounts.ts";

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ADDRESS = "0x1111111111111111111111111111111111111111";
const GOOD = {
  url: "https://api.example/v0/",
  apiKey: "a-secret",
  customerId: "customer_1",
  webhookKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
  methods: ["OFF_RAMP_TO_BANK"],
  currencies: ["USDC"],
  minimum: "5",
  maximum: "1000.50",
  step: "1",
  wallets: [{ id: "wallet_1", address: ADDRESS }],
};
const read = (...accounts: object[]) => readAccounts(JSON.stringify(accounts), 4_000);

describe("OFF_RAMP_ACCOUNTS", () => {
  it("lists any number of accounts, each with its methods, currencies, limits, step and wallets", () => {
    const [account, ...others] = read(GOOD, { ...GOOD, customerId: "customer_2" });
    expect(others).to.have.length(1);
    expect(account).to.deep.include({
      name: "bridge api.example/v0 customer_1",
      limits: { OFF_RAMP_TO_BANK: { minimum: 500n, maximum: 100_050n, step: 100n } },
      currencies: ["USDC"],
      wallets: [{ id: "wallet_1", address: ADDRESS, currencies: null }],
    });
    expect(account?.provider).to.include({
      url: "https://api.example/v0",
      walletId: "wallet_1",
      timeoutMs: 4_000,
    });
  });

  it("may be missing", () => {
    expect(readAccounts(undefined, 4_000)).to.deep.equal([]);
  });

  it.each([
    ["a method that no account serves", { methods: ["OFF_RAMP_MOCK"] }],
    ["no wallet", { wallets: [] }],
    ["an invalid address", { wallets: [{ id: "wallet_1", address: "0x1" }] }],
    ["a minimum of zero", { minimum: "0.00" }],
    ["a step that banks do not support", { step: "0.001" }],
    ["an unknown field", { secret: "a-secret" }],
    ["an insecure URL", { url: "http://api.example" }],
    ["a key that is not an RSA key", { webhookKey: "a-secret" }],
  ])("is rejected with %s, and the message contains none of its keys", (_, change) => {
    expect(() => read({ ...GOOD, ...change }))
      .to.throw(/OFF_RAMP/)
      .and.not.match(/a-secret/);
  });

  it("selects the API of each account", () => {
    const [account] = read({ ...GOOD, api: "bvnk" });
    expect(account?.name).to.equal("bvnk api.example/v0 customer_1");
    expect(account?.provider.api).to.equal("bvnk");
    expect(() => read({ ...GOOD, api: "another" })).to.throw(/OFF_RAMP/);
  });

  it("must list an account only once", () => {
    expect(() => requireDistinct(read(GOOD, GOOD))).to.throw(
      '"bridge api.example/v0 customer_1" is configured twice',
    );
  });
});
