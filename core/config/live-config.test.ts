import { describe, it } from "bun:test";
import { expect } from "chai";
import { ConfigError } from "./config-error.ts";
import { readNetworks } from "./live-config.ts";

const ADDRESS = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const ARBITER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const tokens = JSON.stringify({ USDC: ADDRESS, USDT: ADDRESS, DAI: ADDRESS });

const TEST = {
  GATEWAY_ENV: "local",
  DATABASE_URL: "postgres://localhost/gateway",
  RPC_URL: "http://localhost:8545",
  CHAIN_ID: "31337",
  CONTRACT_ADDRESS: ADDRESS,
  TOKENS: tokens,
  OPERATOR_KEY: `0x${"4".repeat(64)}`,
  ARBITER_KEY: `0x${"7".repeat(64)}`,
  OFF_RAMP_ADDRESS: ADDRESS,
  BASE_URL: "http://localhost:3000/api/v1",
  PAYMENT_PAGE_URL: "http://localhost:3000/pay",
};

const LIVE = {
  LIVE_DATABASE_URL: "postgres://localhost/live",
  LIVE_RPC_URL: "http://localhost:9545",
  LIVE_CHAIN_ID: "1",
  LIVE_CONTRACT_ADDRESS: ADDRESS,
  LIVE_TOKENS: tokens,
  LIVE_OPERATOR_KEY: `0x${"5".repeat(64)}`,
  LIVE_ARBITER_ADDRESS: ARBITER,
  LIVE_OFF_RAMP_ADDRESS: ADDRESS,
  LIVE_WEBHOOK_SECRET_KEY: "6".repeat(64),
};

function refusalOf(environment: Record<string, string | undefined>): string {
  try {
    readNetworks(environment);
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error("The configuration was accepted.");
}

describe("a live network", () => {
  it("exists only if it is configured", () => {
    const networks = readNetworks(TEST);
    expect(networks.own).to.include({ mode: "test" });
    expect(networks.live).to.equal(undefined);
  });

  it("simulates nothing, has its own database, chain and key, and shares the rest", () => {
    const { own, live } = readNetworks({
      ...{ ...TEST, ...LIVE, FUNDING_PERIOD: "3600", LIVE_BLOCK_TIME: "2", TEST_CLOCK: "on" },
    });
    expect(live, "the test network's key decides nothing").to.include({
      arbiter: ARBITER,
      arbiterKey: undefined,
    });
    expect(live).to.include({
      mode: "live",
      environment: "production",
      minDisputeWindow: 86_400,
      testClock: false,
    });
    expect(live?.chain).to.include({ id: 1, simulated: false, blockTime: 2, rpcUrl: LIVE.LIVE_RPC_URL });
    expect(live).to.include({
      databaseUrl: LIVE.LIVE_DATABASE_URL,
      fundingPeriod: 3600,
      baseUrl: own.baseUrl,
    });
    expect(own).to.include({ mode: "test", databaseUrl: TEST.DATABASE_URL, fundingPeriod: 3600 });
    expect(live?.operator).not.to.equal(own.operator);
  });

  it.each(Object.keys(LIVE))("does not inherit %s from the test network", (name) => {
    const message = refusalOf({ ...TEST, ...LIVE, [name]: undefined });
    expect(message).to.include("LIVE_").and.to.include(name.slice("LIVE_".length));
  });

  it("must not share the database or the key with the test network", () => {
    expect(refusalOf({ ...TEST, ...LIVE, LIVE_DATABASE_URL: TEST.DATABASE_URL })).to.include(
      "LIVE_DATABASE_URL",
    );
    expect(refusalOf({ ...TEST, ...LIVE, LIVE_OPERATOR_KEY: TEST.OPERATOR_KEY })).to.include(
      "LIVE_OPERATOR_KEY",
    );
    const key = `0x${"9".repeat(64)}`;
    expect(refusalOf({ ...TEST, ...LIVE, GUARDIAN_KEY: key, LIVE_GUARDIAN_KEY: key })).to.include(
      "LIVE_GUARDIAN_KEY",
    );
    expect(readNetworks({ ...TEST, ...LIVE, GUARDIAN_KEY: key }).live?.guardian).to.equal(undefined);
  });

  it("is the only one: a gateway whose own network is live does not accept a second one", () => {
    const alone = {
      ...TEST,
      GATEWAY_ENV: "production",
      ARBITER_KEY: undefined,
      ARBITER_ADDRESS: ARBITER,
      WEBHOOK_SECRET_KEY: "7".repeat(64),
    };
    expect(readNetworks(alone).own).to.include({ mode: "live" });
    expect(readNetworks({ ...alone, GATEWAY_MODE: "test", ...LIVE }).live).to.include({ mode: "live" });
    expect(refusalOf({ ...alone, ...LIVE })).to.include("GATEWAY_MODE=test");
  });

  it("is never local", () => {
    expect(refusalOf({ ...TEST, GATEWAY_MODE: "live" })).to.include("GATEWAY_MODE");
  });
});
