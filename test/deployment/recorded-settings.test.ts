// The settings that determine where money goes are recorded only if the chain confirms them, and are changed only by
// two people.
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from "bun:test";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import pino from "pino";
import { type Address, keccak256, toHex } from "viem";
import { ConfigError } from "#core/config/config-error.ts";
import { connect, type Database } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import { merchant } from "#core/db/schema/merchants.ts";
import {
  type DeploymentFacts,
  DeploymentMismatch,
  readDeployment,
  recordDeployment,
} from "#core/deployment/deployment.ts";
import type { Change } from "#core/deployment/deployment-change.ts";
import { ServiceError } from "#core/errors.ts";
import { openDeployment } from "#core/runtime/startup.ts";
import { until } from "#scripts/shared/wait.ts";
import { insertIntent } from "#test/settlement/support/intents.ts";
import { configFor, MERCHANT, OFF_RAMP, PAYER } from "#test/settlement/support/world.ts";
import { catchError } from "#test/support/catch-error.ts";
import { testDatabase } from "#test/support/stack.ts";
import { chainFor, clientOn, type FakeChain, factsFor } from "./support/fake-chain.ts";

const CONFIG = configFor("postgres://localhost");
const { id: chainId, contract, tokens, units } = CONFIG.chain;
const { USDC, USDT, DAI } = tokens as Record<"USDC" | "USDT" | "DAI", Address>;
const GENESIS = keccak256(toHex("genesis"));
const OTHER_GENESIS = keccak256(toHex("another genesis"));
const NOBODY: Address = "0x000000000000000000000000000000000000dEaD";

const FACTS = factsFor(CONFIG, GENESIS);
const CHAIN = chainFor(FACTS);
const WITHOUT_DAI = { USDC, USDT } as typeof tokens;
const SWAPPED = { ...tokens, USDC: USDT, USDT: USDC };

let url: string;
let database: Database;
async function open(): Promise<void> {
  url = await testDatabase();
  database = connect(url, { application: "test", max: 1 });
}
const close = () => database?.$client.end();

type Attempt = { facts?: Partial<DeploymentFacts>; chain?: Partial<FakeChain>; change?: Change };

const record = ({ facts, chain, change }: Attempt = {}) =>
  recordDeployment(
    url,
    { ...FACTS, ...facts },
    {
      client: clientOn({ ...CHAIN, ...chain }),
      environment: "production",
      verifiedBy: "a test",
      ...(change && { change }),
    },
  );

const recorded = () => database.select().from(deployment);

async function requireError(work: Promise<unknown>): Promise<Error> {
  const error = await catchError(work);
  if (!(error instanceof Error)) throw new Error("Nothing was refused.");
  return error;
}

/** @returns the error message, after checking that the record is unchanged */
async function refusal(attempt: Attempt, reason: new (...args: never[]) => Error = DeploymentMismatch) {
  const before = await recorded();
  const error = await requireError(record(attempt));
  expect(error, error.message).to.be.instanceOf(reason);
  expect(await recorded()).to.deep.equal(before);
  return error.message;
}

const withToken = (token: Address, change: Partial<FakeChain["tokens"][Address]>): Partial<FakeChain> => ({
  tokens: {
    ...CHAIN.tokens,
    [token]: { decimals: 6, symbol: "USDC", listed: true, ...CHAIN.tokens[token], ...change },
  },
});

describe("settings are not recorded", () => {
  beforeAll(open);
  afterAll(close);

  it.each<[string, Attempt, RegExp]>([
    ["with two currencies swapped", { facts: { tokens: SWAPPED } }, /for USDC.*symbol is "USDT"/],
    ["with a token without code", { facts: { tokens: { ...tokens, DAI: NOBODY } } }, /for DAI.*no code/],
    ["with a contract without code", { facts: { contractAddress: NOBODY } }, /CONTRACT_ADDRESS.*no code/],
    ["with a contract that is not the escrow", { facts: { contractAddress: USDC } }, /is not the escrow/],
    [
      "if a token has other decimals on chain",
      { chain: withToken(DAI, { decimals: 6 }) },
      /for DAI with 18 decimals, but the contract has 6/,
    ],
    [
      "if a token has another symbol on chain",
      { chain: withToken(USDT, { symbol: "EURX" }) },
      /for USDT.*symbol is "EURX"/,
    ],
    [
      "with one token for two currencies",
      {
        facts: {
          tokens: { ...tokens, EURX: USDC },
          units: { ...units, EURX: { decimals: 6, symbol: "USDC" } },
        },
      },
      /more than once: for USDC and EURX/,
    ],
    ["with another chain id", { facts: { chainId: 1 } }, /CHAIN_ID is 1 .*the node is on chain 31337/],
    [
      "if the chain has another genesis",
      { chain: { genesisHash: OTHER_GENESIS } },
      /but the node is on chain/,
    ],
    [
      "with a token that the escrow does not list",
      { chain: withToken(DAI, { listed: false }) },
      /not listed/,
    ],
  ])("%s", async (_, attempt, reason) => {
    expect(await refusal(attempt)).to.match(reason);
    expect(await recorded()).to.deep.equal([]);
  });

  it.each(["all", ["eth_call"]] as const)(
    "while the node does not respond, which is not a mismatch: %p",
    async (silent) => {
      const error = await requireError(record({ chain: { silent } }));
      expect(error).to.be.instanceOf(ServiceError).and.include({ status: 503 });
      expect(await recorded()).to.deep.equal([]);
    },
  );
});

describe("recorded settings", () => {
  beforeAll(async () => {
    await open();
    await record();
  });
  afterAll(close);

  it("are those that the chain has confirmed, and a process starts with them", async () => {
    expect(await readDeployment(database, CONFIG)).to.deep.include({
      ...{ chainId, contract, tokens, wallets: [OFF_RAMP], verifiedBy: "a test" },
    });
  });

  const { chain } = CONFIG;
  it.each([
    ["another off-ramp wallet", { offRamp: PAYER }, [PAYER, OFF_RAMP]],
    ["two currencies swapped", { chain: { ...chain, tokens: SWAPPED } }, [USDC, USDT]],
    ["a token less", { chain: { ...chain, tokens: WITHOUT_DAI } }, [DAI]],
    ["another contract", { chain: { ...chain, contract: NOBODY } }, [NOBODY, contract]],
    ["another chain id", { chain: { ...chain, id: 1 } }, ["chain 1", "chain 31337"]],
  ])("keep a process from starting with %s, and the message names both", async (_, changes, named) => {
    const error = await requireError(readDeployment(database, { ...CONFIG, ...changes }));
    expect(error).to.be.instanceOf(DeploymentMismatch);
    for (const part of named) expect(error.message).to.contain(part);
  });

  it("keep a process from starting if they were changed in the database, or never verified", async () => {
    const [before] = await recorded();
    await database.update(deployment).set({ tokens: SWAPPED });
    const config = { ...CONFIG, chain: { ...chain, tokens: SWAPPED } };
    expect((await requireError(readDeployment(database, config))).message).to.contain("were not verified");
    await database.update(deployment).set({ tokens, verifiedHash: null });
    expect((await requireError(readDeployment(database, CONFIG))).message).to.contain("were not verified");
    await database.update(deployment).set({ verifiedHash: before?.verifiedHash ?? null });
    await readDeployment(database, CONFIG);
  });

  it.each<[string, Attempt]>([
    ["another off-ramp wallet", { facts: { wallets: [PAYER] } }],
    ["another contract", { facts: { contractAddress: NOBODY }, chain: { escrows: [NOBODY] } }],
    ["a token less", { facts: { tokens: WITHOUT_DAI } }],
    ["another genesis", { facts: { genesisHash: OTHER_GENESIS }, chain: { genesisHash: OTHER_GENESIS } }],
  ])("are not replaced without a requested change: %s", async (_, attempt) => {
    expect(await refusal(attempt)).to.contain("migrate -- --change");
  });

  it("let a process start while the node does not respond, and stop it if a different chain responds later", async () => {
    const node: FakeChain = { ...CHAIN, silent: "all" };
    const mismatches: Error[] = [];
    const opened = await openDeployment(
      { config: CONFIG, database, client: clientOn(node), log: pino({ level: "silent" }) },
      (error) => mismatches.push(error),
    );
    expect(opened.contract).to.equal(contract);
    Object.assign(node, { silent: [], genesisHash: OTHER_GENESIS });
    await until(() => mismatches.length > 0, { what: "The mismatch", timeoutMs: 10_000 });
    expect(mismatches[0]?.message).to.contain(GENESIS).and.contain(OTHER_GENESIS);
  });
});

const REASON = "another bank";
const WALLET = { wallets: [PAYER] };

/** Requests a change as Ann. @returns the pending operation */
async function ask(attempt: Attempt = { facts: WALLET }): Promise<number> {
  const { waits } = await record({ ...attempt, change: { by: "Ann", reason: REASON } });
  if (waits === undefined) throw new Error("The change does not wait for a second person.");
  return waits;
}

describe("a deployment", () => {
  beforeEach(open);
  afterEach(close);

  it("is recorded once by processes that start at the same time", async () => {
    await Promise.all([record(), record(), record()]);
    expect((await recorded()).map(({ current }) => current)).to.deep.equal([true]);
  });

  it("keeps its id if its contract returns, with the address in either case", async () => {
    const facts = { contractAddress: contract.toLowerCase() as Address };
    const replace = async (attempt: Attempt) => {
      const approves = await ask(attempt);
      await record({ ...attempt, change: { by: "Bob", approves } });
    };
    await record();
    await record({ facts });
    const [first, ...others] = await recorded();
    expect(others).to.deep.equal([]);
    await replace({ facts: { contractAddress: NOBODY }, chain: { escrows: [NOBODY] } });
    await replace({ facts });
    const rows = await recorded();
    expect(rows.map((row) => row.contract)).to.have.members([contract, NOBODY]);
    expect(rows.filter(({ current }) => current).map(({ id }) => id)).to.deep.equal([first?.id]);
  });
});

const walletsNow = async () => (await recorded()).map(({ wallets }) => wallets);

describe("a change of recorded settings", () => {
  beforeEach(async () => {
    await open();
    await record();
  });
  afterEach(close);

  it("waits for a second person, and is then recorded with both names and the reason", async () => {
    const approves = await ask();
    expect(await walletsNow()).to.deep.equal([[OFF_RAMP]]);
    await record({ facts: WALLET, change: { by: "Bob", approves } });
    expect(await walletsNow()).to.deep.equal([[PAYER]]);
    const [entry] = await database.select().from(auditLog).where(eq(auditLog.action, "deployment.change"));
    expect(entry).to.include({ actorType: "operations", actor: "Ann", resourceId: "deployment 1" });
    expect(entry?.metadata).to.deep.include({ reason: REASON, approvedBy: "Bob" });
  });

  it.each(["Ann", " ann ", "A\u200bnn", ""])(
    "is not approved by its requester or by an empty name: %p",
    async (by) => {
      const approves = await ask();
      expect(await refusal({ facts: WALLET, change: { by, approves } }, ConfigError)).to.contain(
        "another person must approve it",
      );
    },
  );

  it("is not approved with settings other than the requested ones", async () => {
    const approves = await ask();
    const facts = { wallets: [NOBODY] };
    expect(await refusal({ facts, change: { by: "Bob", approves } }, ConfigError)).to.contain(
      "requested with different settings",
    );
  });

  it("is not approved if the record has changed since the request", async () => {
    const approves = await ask();
    await database.update(deployment).set({ wallets: [NOBODY] });
    expect(await refusal({ facts: WALLET, change: { by: "Bob", approves } }, ConfigError)).to.contain(
      "for a different recorded deployment",
    );
  });

  it("is approved once, and no other change can be requested while it waits", async () => {
    const approves = await ask();
    const other = { facts: { wallets: [NOBODY] }, change: { by: "Cid", reason: "a third bank" } };
    expect(await refusal(other, ConfigError)).to.contain("already pending approval");
    await record({ facts: WALLET, change: { by: "Bob", approves } });
    expect(await refusal({ change: { by: "Bob", approves } }, ConfigError)).to.contain(
      "is not a pending change",
    );
  });

  it("is not requested if the chain does not confirm the settings", async () => {
    const change = { by: "Ann", reason: REASON };
    const wrong = { ...tokens, DAI: NOBODY };
    expect(await refusal({ facts: { tokens: wrong }, change })).to.match(/for DAI.*no code/);
  });

  it("is rejected while payments need the token or the contract that it would replace", async () => {
    const [row] = await recorded();
    if (!row) throw new Error("There is no record.");
    await database.insert(merchant).values({ id: MERCHANT, name: "Merchant", account: OFF_RAMP });
    const parties = { merchantId: MERCHANT, payee: OFF_RAMP, operator: OFF_RAMP, offRamp: OFF_RAMP };
    const { id } = await insertIntent(database, row, parties, { currency: "DAI" });
    const change = { by: "Ann", reason: REASON };
    const without = { facts: { tokens: WITHOUT_DAI }, change };
    expect(await refusal(without, ConfigError))
      .to.contain("1 payments in DAI")
      .and.contain(id);
    const moved = { facts: { contractAddress: NOBODY }, chain: { escrows: [NOBODY] }, change };
    expect(await refusal(moved, ConfigError)).to.contain(id);
  });
});
