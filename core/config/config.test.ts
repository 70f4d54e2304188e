import { describe, it } from "bun:test";
import { expect } from "chai";
import { type Hex, zeroAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { readConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";

const ADDRESS = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const ARBITER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const OPERATOR_KEY = `0x${"4".repeat(64)}`;
const ARBITER_KEY: Hex = `0x${"7".repeat(64)}`;
const PRODUCTION = {
  GATEWAY_ENV: "production",
  ARBITER_ADDRESS: ARBITER,
  ARBITER_KEY: undefined,
  WEBHOOK_SECRET_KEY: "ab".repeat(32),
};

const GOOD: Record<string, string> = {
  GATEWAY_ENV: "local",
  DATABASE_URL: "postgres://gateway:secret@localhost/gateway",
  RPC_URL: "http://localhost:8545",
  CHAIN_ID: "31337",
  CONTRACT_ADDRESS: ADDRESS.toLowerCase(),
  TOKENS: JSON.stringify({ USDC: ADDRESS, USDT: ADDRESS, DAI: ADDRESS }),
  OPERATOR_KEY,
  ARBITER_KEY,
  OFF_RAMP_ADDRESS: ADDRESS,
  BASE_URL: "http://localhost:3000/api/v1",
  PAYMENT_PAGE_URL: "http://localhost:3000/pay/",
};

function refusalOf(changes: Record<string, string | undefined>): ConfigError {
  try {
    readConfig({ ...GOOD, ...changes });
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return error as ConfigError;
  }
  throw new Error("The configuration was accepted.");
}

describe("the configuration", () => {
  it("requires only a few variables, with the spec's values as defaults", () => {
    const config = readConfig(GOOD);
    expect(config.chain).to.include({ id: 31337, confirmations: 5, contract: ADDRESS, simulated: true });
    expect(config).to.include({ fundingPeriod: 604_800, paymentPageUrl: "http://localhost:3000/pay" });
    expect(config.http).to.include({ port: 3000 });
    expect(config.mockPayout).to.deep.equal({ minMs: 10_000, maxMs: 30_000 });
    expect(config.arbiter).to.equal(privateKeyToAddress(ARBITER_KEY));
  });

  it("requires an arbiter distinct from the operator and the off-ramp, whose key only a local gateway has", () => {
    const named = { ARBITER_KEY: undefined };
    expect(refusalOf(named).message).to.include("ARBITER_ADDRESS");
    expect(refusalOf({ ARBITER_KEY: OPERATOR_KEY }).message).to.include("OPERATOR");
    expect(refusalOf({ ...named, ARBITER_ADDRESS: ADDRESS }).message).to.include("OFF_RAMP_ADDRESS");
    expect(refusalOf({ ...named, ARBITER_ADDRESS: zeroAddress }).message).to.include("zero");
    const production = { GATEWAY_ENV: "production", WEBHOOK_SECRET_KEY: "ab".repeat(32) };
    expect(refusalOf(production).message).to.include("ARBITER_KEY");
  });

  it("enables the test clock only on a local chain with TEST_CLOCK=on", () => {
    expect(readConfig(GOOD).testClock).to.equal(false);
    expect(readConfig({ ...GOOD, TEST_CLOCK: "on" }).testClock).to.equal(true);
    expect(refusalOf({ ...PRODUCTION, TEST_CLOCK: "on" }).message).to.include("TEST_CLOCK");
  });

  it("accepts a guardian key, which must not be another role's and is never printed", () => {
    expect(readConfig(GOOD).guardian).to.equal(undefined);
    const key: Hex = `0x${"9".repeat(64)}`;
    expect(readConfig({ ...GOOD, GUARDIAN_KEY: key }).guardian).to.deep.equal({
      address: privateKeyToAddress(key),
      key,
    });
    for (const [other, role] of [
      [OPERATOR_KEY, "OPERATOR"],
      [ARBITER_KEY, "ARBITER"],
    ] as const) {
      const { message } = refusalOf({ GUARDIAN_KEY: other });
      expect(message).to.include("GUARDIAN_KEY").and.include(role).and.not.include(other);
    }
    const none = `0x${"f".repeat(64)}`;
    expect(refusalOf({ GUARDIAN_KEY: none }).message)
      .to.include("GUARDIAN_KEY")
      .and.not.include("ffff");
    expect(refusalOf({ OFF_RAMP_ADDRESS: privateKeyToAddress(key), GUARDIAN_KEY: key }).message).to.include(
      "OFF_RAMP_ADDRESS",
    );
  });

  it("retries webhooks for about a day, with a timeout of fifteen seconds per attempt", () => {
    const { timeoutMs, retryMs } = readConfig(GOOD).webhooks;
    expect(timeoutMs).to.equal(15_000);
    expect(retryMs.reduce((sum, pause) => sum + pause, 0) / 3_600_000).to.be.within(23, 25);
  });

  describe("in production, compared with a local machine", () => {
    it("drains for ten seconds, instead of briefly", () => {
      expect(readConfig({ ...GOOD, ...PRODUCTION }).drainMs).to.equal(10_000);
      expect(readConfig(GOOD).drainMs).to.equal(250);
    });

    it("polls the node twice per block and at least once per second, instead of ten times per second", () => {
      const pollMs = (variables: object) => readConfig({ ...GOOD, ...variables }).chain.blockPollMs;
      expect(pollMs({})).to.equal(100);
      expect(pollMs({ ...PRODUCTION, BLOCK_TIME: "12" })).to.equal(1_000);
      expect(pollMs({ ...PRODUCTION, BLOCK_TIME: "0.5" })).to.equal(250);
      expect(pollMs({ ...PRODUCTION, BLOCK_TIME: "0.1" }), "Ponder's minimum").to.equal(100);
      expect(pollMs({ ...PRODUCTION, BLOCK_POLL_MS: "300" })).to.equal(300);
    });
  });

  it("treats an empty variable as unset", () => {
    expect(readConfig({ ...GOOD, PORT: "", ARBITER_ADDRESS: "" }).http.port).to.equal(3000);
    expect(refusalOf({ DATABASE_URL: "" }).message).to.include("DATABASE_URL");
  });

  it("trusts only the dashboard's own origin, which locally is both localhost and 127.0.0.1", () => {
    const secret = { DASHBOARD_SECRET: "ab".repeat(32) };
    const local = readConfig({ ...GOOD, ...secret });
    expect(local.dashboard?.trustedOrigins).to.deep.equal(["http://localhost:3000", "http://127.0.0.1:3000"]);
    const proxied = readConfig({ ...GOOD, ...secret, DASHBOARD_URL: "https://pay.example/dashboard" });
    expect(proxied.dashboard?.trustedOrigins).to.deep.equal(["https://pay.example"]);
    const production = { ...PRODUCTION, ...secret };
    expect(readConfig({ ...GOOD, ...production }).dashboard?.trustedOrigins).to.deep.equal([
      "http://localhost:3000",
    ]);
  });

  it("never exposes its own node, whose URL may contain a key", () => {
    const production = { ...GOOD, ...PRODUCTION };
    expect(readConfig(production).network).to.deep.equal({
      name: "Chain 31337",
      currency: "ETH",
      explorerUrl: null,
      rpcUrl: null,
    });
    const live = readConfig({
      ...production,
      EXPLORER_URL: "https://scan.example/",
      PUBLIC_RPC_URL: "https://node.example",
    });
    expect(live.network).to.include({ explorerUrl: "https://scan.example", rpcUrl: "https://node.example" });
    expect(readConfig(GOOD).network.rpcUrl).to.equal(GOOD.RPC_URL);
  });

  it("lists every missing variable at once", () => {
    // The arbiter is checked only once it is known whether the gateway is local.
    const optional = ["GATEWAY_ENV", "ARBITER_KEY"];
    const required = Object.keys(GOOD).filter((name) => !optional.includes(name));
    const { message } = refusalOf(Object.fromEntries(required.map((name) => [name, undefined])));
    for (const name of required) expect(message).to.include(name);
  });

  it.each([
    ["GATEWAY_ENV", "staging"],
    ["RPC_URL", "localhost:8545"],
    ["RPC_WS_URL", "http://localhost:8545"],
    ["CHAIN_ID", "mainnet"],
    ["CHAIN_ID", "0"],
    ["CONTRACT_ADDRESS", "0x1234"],
    ["OFF_RAMP_ADDRESS", "nobody"],
    ["OPERATOR_KEY", "0x1234"],
    ["OPERATOR_KEY", OPERATOR_KEY.slice(2)],
    ["BASE_URL", "/api/v1"],
    ["PAYMENT_PAGE_URL", "pay"],
    ["PORT", "65536"],
    ["PORT", "http"],
    ["CONFIRMATIONS", "4"],
    ["BLOCK_TIME", "0"],
    ["BLOCK_POLL_MS", "99"],
    ["BLOCK_POLL_MS", "60001"],
    ["DATABASE_POOL", "1"],
    ["FUNDING_PERIOD", "-1"],
    ["MOCK_PAYOUT_MIN_MS", "soon"],
  ])("rejects %s=%s and names the variable", (name, value) => {
    expect(refusalOf({ [name]: value }).message).to.include(`${name}:`);
  });

  it.each(["", "{", "[]", '"0x"', '{"USDC":"0x1"}', JSON.stringify({ GOLD: ADDRESS })])(
    "rejects TOKENS=%s and names it",
    (value) => {
      expect(refusalOf({ TOKENS: value }).message).to.include("TOKENS");
    },
  );

  it("requires an arbiter and a webhook encryption key in production", () => {
    const production = {
      GATEWAY_ENV: "production",
      ARBITER_ADDRESS: ARBITER,
      ARBITER_KEY: undefined,
      WEBHOOK_SECRET_KEY: "5".repeat(64),
    };
    expect(refusalOf({ ...production, ARBITER_ADDRESS: undefined }).message).to.include("ARBITER_ADDRESS");
    expect(refusalOf({ ...production, WEBHOOK_SECRET_KEY: undefined }).message).to.include(
      "WEBHOOK_SECRET_KEY",
    );
    const config = readConfig({ ...GOOD, ...production });
    expect(config.chain.simulated).to.equal(false);
    expect(config.minDisputeWindow).to.equal(86_400);
    expect(readConfig({ ...GOOD, ...production, GATEWAY_ENV: undefined }).environment).to.equal("production");
  });

  it("never prints a value: some are secrets", () => {
    const secret = "postgres-password-and-key";
    for (const name of Object.keys(GOOD)) {
      if (name === "DATABASE_URL") continue;
      const error = refusalOf({ [name]: secret, CHAIN_ID: "x" });
      expect(`${error.message}${error.stack}`).not.to.include(secret);
    }
    expect(refusalOf({ CHAIN_ID: "x" }).message).not.to.include(OPERATOR_KEY);
  });

  it("accepts a signer with its address instead of the operator's key, but not both", () => {
    const signer = { OPERATOR_SIGNER_URL: "http://signer:9000", OPERATOR_ADDRESS: ADDRESS };
    const { operator, signing } = readConfig({ ...GOOD, OPERATOR_KEY: undefined, ...signer });
    expect({ operator, signing }).to.deep.equal({
      operator: ADDRESS,
      signing: { url: "http://signer:9000" },
    });
    expect(refusalOf(signer).message).to.include("OPERATOR_KEY").and.include("not both");
    const alone = { ...signer, OPERATOR_KEY: undefined, OPERATOR_ADDRESS: undefined };
    expect(refusalOf(alone).message).to.include("OPERATOR_ADDRESS:");
  });

  it("rejects a signing key that is not on the curve, without printing it", () => {
    for (const key of [`0x${"0".repeat(64)}`, `0x${"f".repeat(64)}`]) {
      const { message } = refusalOf({ OPERATOR_KEY: key });
      expect(message).to.include("OPERATOR_KEY");
      expect(message).not.to.include(key);
    }
  });
});
