// Tests which network's settings a command uses.
import { afterEach, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { UserError } from "../../shared/errors.ts";
import { gatewayDatabaseUrl, gatewayMode, gatewayRpcUrl } from "./database-command.ts";

const NAMES = [
  "GATEWAY_NETWORK",
  "GATEWAY_MODE",
  "DATABASE_URL",
  "RPC_URL",
  "LIVE_DATABASE_URL",
  "LIVE_RPC_URL",
];
const before = NAMES.map((name) => [name, process.env[name]] as const);

function set(environment: Record<string, string>): void {
  for (const name of NAMES) delete process.env[name];
  Object.assign(process.env, environment);
}

const TEST = { GATEWAY_MODE: "test", DATABASE_URL: "postgres://test", RPC_URL: "http://test" };
const BOTH = { ...TEST, LIVE_DATABASE_URL: "postgres://live", LIVE_RPC_URL: "http://live" };
const read = () => [gatewayDatabaseUrl(), gatewayRpcUrl(), gatewayMode()];

describe("a command", () => {
  beforeEach(() => set({}));
  afterEach(() => set(Object.fromEntries(before.filter(([, value]) => value !== undefined)) as typeof TEST));

  it("uses the database, node and mode of the network without a prefix", () => {
    set(BOTH);
    expect(read()).to.deep.equal(["postgres://test", "http://test", "test"]);
  });

  it("uses those of the live network with GATEWAY_NETWORK=live", () => {
    set({ ...BOTH, GATEWAY_NETWORK: "live" });
    expect(read()).to.deep.equal(["postgres://live", "http://live", "live"]);
  });

  it("never uses the other network's database if no live network is configured", () => {
    set({ ...TEST, GATEWAY_NETWORK: "live" });
    expect(() => gatewayDatabaseUrl()).to.throw(UserError, "no live network is configured");
  });

  it("never uses a running local gateway's database if the live network has none", () => {
    set({ ...TEST, LIVE_RPC_URL: "http://live", GATEWAY_NETWORK: "live" });
    expect(() => gatewayDatabaseUrl()).to.throw(UserError, "no live network is configured");
    expect(() => gatewayRpcUrl()).to.throw(UserError, "no live network is configured");
  });

  it("is rejected if both networks have the same database, or if GATEWAY_NETWORK has another value", () => {
    set({ ...BOTH, LIVE_DATABASE_URL: TEST.DATABASE_URL, GATEWAY_NETWORK: "live" });
    expect(() => gatewayDatabaseUrl()).to.throw(UserError, "must be different databases");
    set({ ...BOTH, GATEWAY_NETWORK: "Live" });
    expect(() => gatewayDatabaseUrl()).to.throw(UserError, 'not "Live"');
  });

  it("never uses the other network's node if only a database is configured for the live one", () => {
    set({ ...TEST, LIVE_DATABASE_URL: "postgres://live", GATEWAY_NETWORK: "live" });
    expect(gatewayDatabaseUrl()).to.equal("postgres://live");
    expect(() => gatewayRpcUrl()).to.throw(UserError, "RPC_URL is not set");
  });
});
