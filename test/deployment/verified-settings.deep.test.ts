// Before a process starts work, the settings that determine where money goes are compared with the recorded deployment
// and with the chain.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { eq } from "drizzle-orm";
import { type Address, getAddress, type Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { connect } from "#core/db/client.ts";
import { auditLog } from "#core/db/schema/audit-log.ts";
import { deployment } from "#core/db/schema/deployments.ts";
import type { Currency } from "#core/money.ts";
import { startChain } from "#scripts/devnet/chain.ts";
import type { Child } from "#scripts/devnet/child.ts";
import { deployLocal, localChainClient } from "#scripts/devnet/deploy.ts";
import { firstAccount } from "#scripts/devnet/hardhat-chain.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { type Environment, ROLES, type Role, startRoleProcess } from "#scripts/devnet/roles.ts";
import { ensureMerchant } from "#scripts/shared/merchants.ts";
import { answers, until } from "#scripts/shared/wait.ts";
import { Client, type ErrorBody } from "#test/api/support/client.ts";
import { create, fund, GOOD, prove, untilStatus } from "#test/api/support/payments.ts";
import { expectError } from "#test/api/support/shapes.ts";
import { insertIntent } from "#test/settlement/support/intents.ts";
import { DEEP } from "#test/support/deep.ts";
import { runScript } from "#test/support/run-script.ts";
import { type Stack, startStack, testDatabase } from "#test/support/stack.ts";

/** Longer than a process takes to start on a busy machine. */
const START_MS = 60_000;

let stack: Stack;
let tokens: Record<Currency, Address>;

beforeAll(async () => {
  stack = await startStack({ roles: [] });
  ({ tokens } = stack);
});
afterAll(() => stack?.stop());

const withTokens = (changes: Partial<Record<Currency, Address>>): Environment => ({
  TOKENS: JSON.stringify({ ...tokens, ...changes }),
});

const swapped = () => withTokens({ USDC: tokens.DAI, DAI: tokens.USDC });

async function start(role: Role, changes: Environment) {
  const ports = { PORT: "", INDEXER_PORT: "", SETTLEMENT_PORT: "", WEBHOOK_PORT: "" };
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = String(await freePort());
  const environment = { ...stack.environment, ...ports, ...changes };
  const log = join(stack.logs, `${role}-${randomBytes(4).toString("hex")}.log`);
  const child = await startRoleProcess(role, environment, log);
  return { child, log, said: () => readFileSync(log, "utf8"), environment };
}

async function ended(child: Child): Promise<string> {
  try {
    return await until(() => child.ended(), {
      what: `The ${child.name}'s refusal to start`,
      timeoutMs: START_MS,
    });
  } finally {
    await child.stop();
  }
}

/** Returns the output of a process that fails to start. */
async function refusal(process: Process, changes: Environment): Promise<string> {
  if (process === "migrate" || process === "reconcile") {
    const { exitCode, errors, output } = await runScript(`${process}.ts`, [], {
      ...stack.environment,
      ...changes,
    });
    expect(exitCode, output).to.equal(1);
    return errors;
  }
  const { child, said } = await start(process, changes);
  expect(await ended(child)).to.equal("exit code 1");
  return said();
}

const recorded = async (databaseUrl: string) => {
  const database = connect(databaseUrl, { application: "test", max: 1 });
  try {
    return await database.select().from(deployment);
  } finally {
    await database.$client.end();
  }
};

const list = async (token: Address, listed: boolean): Promise<void> => {
  const client = localChainClient(stack.rpcUrl, firstAccount);
  const hash = await client.writeContract({
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName: "setTokenListed",
    args: [token, listed],
    account: firstAccount,
  });
  await client.waitForTransactionReceipt({ hash });
};

const codeOf = (address: Address) => localChainClient(stack.rpcUrl).getCode({ address }) as Promise<Hex>;

/** Runs a function with different code at an address, and then restores the code. */
async function withCode<T>(address: Address, bytecode: Hex, run: () => Promise<T>): Promise<T> {
  const client = localChainClient(stack.rpcUrl);
  const before = await codeOf(address);
  await client.setCode({ address, bytecode });
  try {
    return await run();
  } finally {
    await client.setCode({ address, bytecode: before });
  }
}

type Process = Role | "migrate" | "reconcile";

/** All processes share one comparison. `npm run test:deep` tests each mismatch with every process. */
const processes = (shallow: readonly Process[], deep: readonly Process[]) => (DEEP ? deep : shallow);

describe.each(processes(["settlement", "migrate"], [...ROLES, "migrate", "reconcile"]))(
  "the process %s",
  (process) => {
    it("rejects TOKENS with two currencies swapped, and names the configured and the recorded address", async () => {
      const said = await refusal(process, swapped());
      expect(said).to.contain(`TOKENS lists ${tokens.DAI} for USDC`).and.contain(tokens.USDC);
      expect(said).to.contain(`TOKENS lists ${tokens.USDC} for DAI`);
    });

    it.skipIf(!DEEP && process !== "settlement")(
      "rejects recorded tokens that differ on chain: no code, different decimals",
      async () => {
        const six = await codeOf(tokens.USDC);
        const said = await withCode(tokens.USDT, "0x", () =>
          withCode(tokens.DAI, six, () => refusal(process, {})),
        );
        expect(said).to.match(new RegExp(`TOKENS lists ${tokens.USDT} for USDT.*no code`));
        expect(said).to.match(/for DAI.* with 18 decimals.* has 6/);
      },
    );
  },
);

describe.each(processes(["settlement"], ["settlement", "migrate"]))("the process %s", (process) => {
  it("S1: rejects a token other than the recorded one, even if it is valid on chain", async () => {
    const { tokens: others } = await deployLocal(stack.rpcUrl);
    await list(others.USDC, true);
    const said = await refusal(process, withTokens({ USDC: others.USDC }));
    expect(said).to.contain(`TOKENS lists ${others.USDC} for USDC`).and.contain(tokens.USDC);
  });
});

describe("D5: an off-ramp wallet other than the recorded one", () => {
  it.each(processes(["settlement"], ["api", "settlement", "migrate"]))(
    "is rejected by %s, which names both",
    async (process) => {
      const OFF_RAMP_ADDRESS = privateKeyToAddress(generatePrivateKey());
      const said = await refusal(process, { OFF_RAMP_ADDRESS });
      expect(said).to.contain(OFF_RAMP_ADDRESS).and.contain(stack.environment.OFF_RAMP_ADDRESS);
    },
  );
});

describe("a deliberate change of the record", () => {
  it("is required for a different contract on the same chain, even on a local network, and allowed if no payment is left behind", async () => {
    const environment = { ...stack.environment, DATABASE_URL: await testDatabase() };
    const other = await deployLocal(stack.rpcUrl);
    const moved = {
      ...{ CONTRACT_ADDRESS: other.contractAddress, TOKENS: JSON.stringify(other.tokens) },
      START_BLOCK: String(other.startBlock),
    };
    const migrate = (changes: Environment, ...options: string[]) =>
      runScript("migrate.ts", options, { ...environment, ...changes });
    expect((await migrate({})).exitCode).to.equal(0);
    const refused = await migrate(moved);
    expect(refused.exitCode).to.equal(1);
    for (const part of [stack.contractAddress, other.contractAddress, "migrate -- --change"])
      expect(refused.errors).to.contain(part);
    const asked = await migrate(moved, "--change", "--by", "ann", "--reason", "another contract");
    const [, operation = ""] = /--approve (\d+)/.exec(asked.output) ?? [];
    expect((await migrate(moved, "--approve", operation, "--by", "bob")).errors).to.equal("");
    const rows = await recorded(environment.DATABASE_URL);
    expect(rows.filter(({ current }) => current).map(({ contract }) => contract)).to.deep.equal([
      getAddress(other.contractAddress),
    ]);
  });

  it("waits once, and cannot be approved if the record has changed since the request", async () => {
    const environment = { ...stack.environment, DATABASE_URL: await testDatabase() };
    const migrate = (OFF_RAMP_ADDRESS: string | undefined, ...options: string[]) =>
      runScript("migrate.ts", options, { ...environment, ...(OFF_RAMP_ADDRESS && { OFF_RAMP_ADDRESS }) });
    expect((await migrate(undefined)).exitCode).to.equal(0);
    const [second, third] = [1, 2].map(() => privateKeyToAddress(generatePrivateKey())) as [Address, Address];
    const asked = await migrate(second, "--change", "--by", "ann", "--reason", "new bank");
    const [, id = ""] = /--approve (\d+)/.exec(asked.output) ?? [];
    const again = await migrate(third, "--change", "--by", "ann", "--reason", "another bank");
    expect([
      again.exitCode,
      again.errors.includes("is already pending approval by a second person"),
    ]).to.deep.equal([1, true]);
    // Simulates a change by another request that was already pending when requests were limited to one at a time.
    const database = connect(environment.DATABASE_URL, { application: "test", max: 1 });
    await database.update(deployment).set({ wallets: [third] });
    await database.$client.end();
    const approved = await migrate(second, "--approve", id, "--by", "bob");
    expect([
      approved.exitCode,
      approved.errors.includes("for a different recorded deployment"),
    ]).to.deep.equal([1, true]);
    const [row] = await recorded(environment.DATABASE_URL);
    expect(row?.wallets).to.deep.equal([third]);
  });

  it("waits for a second named person, records who changed what and why, and is rejected if payments would lose their token", async () => {
    const environment: Environment & { DATABASE_URL: string } = {
      ...stack.environment,
      DATABASE_URL: await testDatabase(),
    };
    const migrate = (changes: Environment, ...options: string[]) =>
      runScript("migrate.ts", options, { ...environment, ...changes });
    expect((await migrate({})).exitCode).to.equal(0);
    const OFF_RAMP_ADDRESS = privateKeyToAddress(generatePrivateKey());
    const EURX = { address: tokens.USDC, decimals: 6, symbol: "USDC" };
    const changed = {
      OFF_RAMP_ADDRESS,
      TOKENS: JSON.stringify({ EURX, DAI: tokens.DAI, USDT: tokens.USDT }),
    };
    expect((await migrate(changed)).exitCode).to.equal(1);
    expect((await migrate(changed, "--change")).errors).to.contain("--by NAME");
    const asked = await migrate(changed, "--change", "--by", "ann", "--reason", "new bank");
    expect(asked.exitCode, asked.errors).to.equal(0);
    const [, id = ""] = /--approve (\d+)/.exec(asked.output) ?? [];
    expect((await migrate(changed)).errors).to.contain("the recorded deployment has");
    expect((await migrate(changed, "--approve", id, "--by", " Ann ")).errors).to.contain("another person");
    expect((await migrate(changed, "--approve", id, "--by", "\u200b")).errors).to.contain("--by NAME");
    const { TOKENS } = changed;
    expect((await migrate({ TOKENS }, "--approve", id, "--by", "bob")).errors).to.contain(
      "different settings",
    );
    const { exitCode, errors } = await migrate(changed, "--approve", id, "--by", "bob");
    expect(exitCode, errors).to.equal(0);
    const [row] = await recorded(environment.DATABASE_URL);
    expect(row?.wallets).to.deep.equal([OFF_RAMP_ADDRESS]);
    expect(row?.tokens).to.have.keys("EURX", "DAI", "USDT");
    expect((await migrate(changed)).exitCode).to.equal(0);

    const database = connect(environment.DATABASE_URL, { application: "test", max: 1 });
    try {
      const [entry] = await database.select().from(auditLog).where(eq(auditLog.action, "deployment.change"));
      expect(entry).to.include({ actorType: "operations", actor: "ann", toStatus: row?.verifiedHash });
      expect(JSON.stringify(entry?.metadata))
        .to.contain("new bank")
        .and.contain('"approvedBy":"bob"')
        .and.contain(OFF_RAMP_ADDRESS)
        .and.contain(environment.OFF_RAMP_ADDRESS)
        .and.contain("EURX");
      const decisions = await database
        .select({ actor: auditLog.actor, action: auditLog.action })
        .from(auditLog)
        .where(eq(auditLog.resourceId, id))
        .orderBy(auditLog.position);
      expect(decisions).to.deep.equal([
        { actor: "ann", action: "operation.requested" },
        { actor: "bob", action: "operation.approved" },
      ]);
      if (!row) throw new Error("There is no record.");
      const account = OFF_RAMP_ADDRESS;
      const { merchantId } = await ensureMerchant(environment.DATABASE_URL, { name: "Merchant", account });
      const parties = { merchantId, payee: OFF_RAMP_ADDRESS, operator: OFF_RAMP_ADDRESS };
      await insertIntent(database, row, { ...parties, offRamp: OFF_RAMP_ADDRESS }, { currency: "DAI" });
    } finally {
      await database.$client.end();
    }
    const without = { ...changed, TOKENS: JSON.stringify({ EURX }) };
    const refused = await migrate(without, "--change", "--by", "ann", "--reason", "no more DAI");
    expect(refused.exitCode).to.equal(1);
    expect(refused.errors)
      .to.contain("1 payments in")
      .and.contain("DAI")
      .and.match(/\(oldest: intent_[0-9a-f]{64}\)/);
  });
});

describe("while the node does not respond", () => {
  it.each(DEEP ? ROLES : (["api"] as const))(
    "the %s rejects swapped tokens, and names the configured and the recorded address",
    async (role) => {
      const said = await refusal(role, { ...swapped(), RPC_URL: `http://127.0.0.1:${await freePort()}` });
      expect(said).to.contain(`TOKENS lists ${tokens.DAI} for USDC`).and.contain(tokens.USDC);
    },
  );
});

describe("`migrate` on a new database", () => {
  async function refusedRecord(changes: Environment): Promise<string> {
    const databaseUrl = await testDatabase();
    const said = await refusal("migrate", { ...changes, DATABASE_URL: databaseUrl });
    expect(await recorded(databaseUrl)).to.deep.equal([]);
    return said;
  }

  it("rejects swapped tokens, and names the configured currency and the token's own symbol", async () => {
    expect(await refusedRecord(swapped()))
      .to.match(/for USDC.*symbol.*"DAI"/)
      .and.match(/for DAI.*symbol.*"USDC"/);
    const alike = withTokens({ USDC: tokens.USDT, USDT: tokens.USDC });
    expect(await refusedRecord(alike)).to.match(/for USDC.*symbol.*"USDT"/);
  });

  it("rejects addresses without code", async () => {
    const [first, second, third] = [1, 2, 3].map((n) => `0x${String(n).padStart(40, "0")}` as Address);
    const said = await refusedRecord({ TOKENS: JSON.stringify({ USDC: first, USDT: second, DAI: third }) });
    for (const address of [first, second, third]) {
      expect(said).to.match(new RegExp(`TOKENS lists ${address} .*no code`));
    }
    const nobody = "0x000000000000000000000000000000000000dEaD";
    expect(await refusedRecord({ CONTRACT_ADDRESS: nobody })).to.match(
      new RegExp(`CONTRACT_ADDRESS is ${nobody}.*no code`),
    );
  });

  it("rejects a contract that is not the escrow", async () => {
    expect(await refusedRecord({ CONTRACT_ADDRESS: tokens.USDC })).to.contain(
      `CONTRACT_ADDRESS is ${tokens.USDC}`,
    );
  });

  it("rejects a different chain id, and names both", async () => {
    expect(await refusedRecord({ CHAIN_ID: "1" })).to.match(/CHAIN_ID is 1.*31337/);
  });

  it("rejects different decimals", async () => {
    const six = await codeOf(tokens.USDC);
    const said = await withCode(tokens.DAI, six, () => refusedRecord({}));
    expect(said).to.match(/DAI.* with 18 decimals.* has 6/);
  });

  it("rejects a token that the escrow contract does not list", async () => {
    await list(tokens.DAI, false);
    const said = await refusedRecord({});
    await list(tokens.DAI, true);
    expect(said).to.contain(tokens.DAI).and.contain(stack.contractAddress).and.contain("not list");
  });

  it("accepts any number of tokens, each with its displayed symbol, its on-chain symbol and its decimals", async () => {
    const environment = { ...stack.environment, DATABASE_URL: await testDatabase() };
    const EURX = { address: tokens.USDC, decimals: 6, symbol: "USDC" };
    const TOKENS = JSON.stringify({ EURX, DAI: tokens.DAI });
    const { exitCode, errors } = await runScript("migrate.ts", [], { ...environment, TOKENS });
    expect(exitCode, errors).to.equal(0);
    const [row] = await recorded(environment.DATABASE_URL);
    expect(row?.tokens).to.deep.equal({ EURX: tokens.USDC, DAI: tokens.DAI });
    expect(row?.units).to.deep.include({ EURX: { decimals: 6, symbol: "USDC" } });
  });

  it("rejects a token whose on-chain symbol differs from the configured one, and one token for two currencies", async () => {
    const EURX = { address: tokens.USDC, decimals: 6 };
    const said = await refusedRecord({ TOKENS: JSON.stringify({ EURX, USDC: tokens.USDC }) });
    expect(said)
      .to.match(/for EURX.*symbol.*"USDC"/)
      .and.contain("for EURX and USDC");
  });

  it("records nothing while the node does not respond", async () => {
    const said = await refusedRecord({ RPC_URL: `http://127.0.0.1:${await freePort()}` });
    expect(said).to.contain("RPC_URL").and.not.contain("127.0.0.1");
  });

  it("records when and by which command the settings were verified, and updates this on each run", async () => {
    const environment = { ...stack.environment, DATABASE_URL: await testDatabase() };
    const moments: number[] = [];
    for (let run = 0; run < 2; run++) {
      const { exitCode, errors } = await runScript("migrate.ts", [], environment);
      expect(exitCode, errors).to.equal(0);
      const [row] = await recorded(environment.DATABASE_URL);
      expect(row).to.deep.include({ tokens, verifiedBy: "npm run migrate" });
      moments.push(row?.verifiedAt?.getTime() ?? 0);
    }
    expect(moments[0]).to.be.above(Date.now() - START_MS);
    expect(moments[1]).to.be.above(moments[0] ?? 0);
  });
});

describe("a record that was never verified", () => {
  it.each(DEEP ? ROLES : (["settlement"] as const))(
    "keeps the %s from starting, whether the node responds or not",
    async (role) => {
      const databaseUrl = await testDatabase();
      const [row] = await recorded(stack.databaseUrl);
      if (!row) throw new Error("The stack has no deployment.");
      const database = connect(databaseUrl, { application: "test", max: 1 });
      await database
        .insert(deployment)
        .overridingSystemValue()
        .values({ ...row, verifiedHash: null, verifiedAt: null, verifiedBy: null });
      await database.$client.end();
      // The indexer's node responds, and the other roles' node does not.
      const url = role === "indexer" ? stack.rpcUrl : `http://127.0.0.1:${await freePort()}`;
      const said = await refusal(role, { DATABASE_URL: databaseUrl, RPC_URL: url });
      expect(said).to.contain("npm run migrate");
    },
  );
});

describe("with an unresponsive node and the settings of the verified record", () => {
  it("the API and settlement start and work, and exit if a different chain responds later", async () => {
    const port = await freePort();
    const silent = { RPC_URL: `http://127.0.0.1:${port}` };
    const [api, settlement] = await Promise.all([start("api", silent), start("settlement", silent)]);
    const origin = `http://127.0.0.1:${api.environment.PORT}`;
    await until(() => answers(`${origin}/health`), { what: "The API", timeoutMs: START_MS });
    const client = new Client(`${origin}/api/v1`, stack.merchants[0]?.apiKey);
    const { data } = await create(client);
    expect(data.contractAddress).to.equal(stack.contractAddress);
    await until(() => settlement.said().includes('"msg":"started"'), {
      what: "The settlement role",
      timeoutMs: START_MS,
    });
    for (const { said } of [api, settlement]) {
      expect(said()).to.contain('"verifiedBy":"npm start"').and.contain('"verifiedAt":');
    }

    const other = await startChain({ log: join(stack.logs, "other-chain.log"), port, node: "anvil" });
    const ends = await Promise.all([ended(api.child), ended(settlement.child)]);
    await other.stop();
    expect(ends).to.deep.equal(["exit code 1", "exit code 1"]);
    const [row] = await recorded(stack.databaseUrl);
    for (const { said } of [api, settlement]) {
      expect(said()).to.contain(row?.genesisHash).and.contain(other.genesisHash);
    }
  });
});

describe("the live network", () => {
  it("is compared in the same way: by the API that serves both, and by its own processes", async () => {
    const live = {
      LIVE_DATABASE_URL: await testDatabase(),
      LIVE_RPC_URL: stack.rpcUrl,
      LIVE_CHAIN_ID: String(stack.chainId),
      LIVE_CONTRACT_ADDRESS: stack.contractAddress,
      LIVE_TOKENS: JSON.stringify(tokens),
      LIVE_OPERATOR_KEY: generatePrivateKey(),
      LIVE_ARBITER_ADDRESS: privateKeyToAddress(generatePrivateKey()),
      LIVE_OFF_RAMP_ADDRESS: privateKeyToAddress(generatePrivateKey()),
      LIVE_WEBHOOK_SECRET_KEY: "ab".repeat(32),
    };
    const { exitCode, errors } = await runScript("migrate.ts", [], {
      ...{ ...stack.environment, ...live, GATEWAY_NETWORK: "live" },
    });
    expect(exitCode, errors).to.equal(0);
    const wrong = { ...live, LIVE_TOKENS: String(swapped().TOKENS) };
    const both = { ...wrong, GATEWAY_NETWORK: "live" };
    const said = await Promise.all([
      refusal("api", wrong),
      ...(["settlement", "migrate"] as const).map((process) => refusal(process, both)),
    ]);
    for (const text of said) {
      expect(text).to.contain(`TOKENS lists ${tokens.DAI} for USDC`).and.contain(tokens.USDC);
    }
  });
});

describe("a token that the contract's owner delists later", () => {
  it("prevents no process from starting and no released order from being settled, but new payments in it are rejected", async () => {
    await Promise.all(ROLES.map((role) => stack.restart(role)));
    const client = new Client(stack.baseUrl, stack.merchants[0]?.apiKey);
    const { id } = await fund(client, { currency: "DAI" });
    await list(tokens.DAI, false);
    try {
      await Promise.all(ROLES.map((role) => stack.restart(role)));
      const { exitCode, errors } = await runScript("migrate.ts", [], stack.environment);
      expect(exitCode, errors).to.equal(0);
      expect(errors).to.contain(tokens.DAI);

      // The restarted indexer may have to catch up by one or two blocks. Until then, the API returns 503.
      const proved = await until(
        async () => {
          const answer = await prove(client, id);
          return answer.status === 503 ? null : answer;
        },
        { what: "The indexer having caught up", timeoutMs: START_MS },
      );
      expect(proved.status, JSON.stringify(proved.body)).to.equal(200);
      const released = await client.post(`/payment-intents/${id}/escrow/release`, {});
      expect(released.status, JSON.stringify(released.body)).to.equal(200);
      await untilStatus(client, id, "SETTLED");

      const refused = await until(
        async () => {
          const answer = await client.post<ErrorBody>("/payment-intents", { ...GOOD, currency: "DAI" });
          return answer.status === 400 ? answer : null;
        },
        { what: "A refusal of the currency", timeoutMs: START_MS },
      );
      expectError(refused, 400, "invalid_request", "currency");
      await create(client, { currency: "USDC" });
      for (const role of ROLES) {
        const log = readFileSync(join(stack.logs, `${role}.log`), "utf8");
        expect(log, role).to.contain(tokens.DAI).and.contain("is not listed in the escrow contract");
      }
    } finally {
      await list(tokens.DAI, true);
    }
  });
});
