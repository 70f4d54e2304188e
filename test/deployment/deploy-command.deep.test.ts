// `npm run deploy` on two Hardhat chains and on anvil: it deploys to the same address on each chain, executes each step
// once even if the command is killed at every step, and fails if the chain does not match the settings.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Address, encodeFunctionData, type Hex, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { DETERMINISTIC_DEPLOYER } from "#scripts/cli/deploy/deterministic-deployer.ts";
import { hasAnvil } from "#scripts/devnet/anvil.ts";
import { type Chain, startChain } from "#scripts/devnet/chain.ts";
import { type Deployment, deployLocal, localChainClient } from "#scripts/devnet/deploy.ts";
import { openTestFolder } from "#scripts/devnet/test-folder.ts";
import { startAnvil } from "./support/anvil.ts";
import { nameTokens, openWorkplace, type Run } from "./support/deploy-command.ts";
import { startFatalNode } from "./support/fatal-node.ts";

const [FIRST_ID, SECOND_ID, ANVIL_ID] = [31_337, 31_338, 31_339];

/** Block time of anvil, longer than the command takes to restart. */
const BLOCK_SECONDS = 3;

const deployerKey = generatePrivateKey();
const deployer = privateKeyToAddress(deployerKey);
const ownerKey = generatePrivateKey();
const owner = privateKeyToAccount(ownerKey);
const guardian = privateKeyToAddress(generatePrivateKey());

let folder: string;
let first: Chain;
let second: Chain;
let tokens: Deployment["tokens"];
const workplaces: ReturnType<typeof openWorkplace>[] = [];

function newWorkplace() {
  const workplace = openWorkplace();
  workplaces.push(workplace);
  return workplace;
}

const clientOf = (chain: Pick<Chain, "rpcUrl">, chainId: number) =>
  localChainClient(chain.rpcUrl, undefined, chainId);

const settingsOf = (chainId: number, changes: object = {}) => ({
  ...{ name: "A chain", chainId, blockTime: 1, owner: owner.address, guardian },
  tokens: nameTokens(tokens),
  ...changes,
});

const onFirst = (changes: object = {}, run: Partial<Run> = {}): Run => ({
  settings: settingsOf(FIRST_ID, changes),
  ...{ rpcUrl: first.rpcUrl, deployerKey },
  ...run,
});

async function readContract(chain: Pick<Chain, "rpcUrl">, chainId: number, address: Address) {
  const client = clientOf(chain, chainId);
  const contract = { address, abi: deliveryVsPaymentAbi } as const;
  return {
    owner: await client.readContract({ ...contract, functionName: "owner" }),
    pendingOwner: await client.readContract({ ...contract, functionName: "pendingOwner" }),
    guardian: await client.readContract({ ...contract, functionName: "guardian" }),
    listed: await Promise.all(
      Object.values(tokens).map((token) =>
        client.readContract({ ...contract, functionName: "isTokenListed", args: [token] }),
      ),
    ),
  };
}

const sentBy = (address: Address, chain: Pick<Chain, "rpcUrl">, chainId: number) =>
  clientOf(chain, chainId).getTransactionCount({ address });

const HANDED_OVER = {
  owner: deployer,
  pendingOwner: owner.address,
  guardian,
  listed: [true, true, true],
};

beforeAll(async () => {
  folder = process.env.TEST_FOLDER ?? (await openTestFolder()).folder;
  [first, second] = (await Promise.all(
    [FIRST_ID, SECOND_ID].map((chainId) =>
      startChain({ log: join(folder, `deploy-${chainId}.log`), chainId, blockIntervalMs: 500 }),
    ),
  )) as [Chain, Chain];
  const options = { fundingTokens: false };
  const deployments = await Promise.all([
    deployLocal(first.rpcUrl, { ...options, chainId: FIRST_ID }),
    deployLocal(second.rpcUrl, { ...options, chainId: SECOND_ID }),
  ]);
  ({ tokens } = deployments[0]);
  expect(deployments[1].tokens).to.deep.equal(tokens);
  for (const [chain, id] of [
    [first, FIRST_ID],
    [second, SECOND_ID],
  ] as const) {
    for (const address of [deployer, owner.address]) {
      await clientOf(chain, id).setBalance({ address, value: parseEther("10") });
    }
  }
});

afterAll(async () => {
  for (const workplace of workplaces) rmSync(workplace.folder, { recursive: true });
  await Promise.all([first?.stop(), second?.stop()]);
});

describe("npm run deploy", () => {
  const workplace = newWorkplace();
  let address: Address;

  it("shows its steps and costs, and does nothing without confirmation", async () => {
    for (const [args, code] of [
      [["--plan"], 0],
      [[], 2],
    ] as const) {
      const { output, errors, exitCode } = await workplace.run(onFirst({}, { args }));
      expect(exitCode, errors).to.equal(code);
      for (const token of Object.values(tokens)) expect(output).to.include(token);
      expect(output).to.include(owner.address).and.include(guardian).and.include(deployer);
      expect(output).to.match(/Deploy the escrow +\d+ gas/);
      expect(output).to.match(/At most 0\.0\d+ ETH in total; the deployer has 10 ETH\./);
    }
    expect(await sentBy(deployer, first, FIRST_ID)).to.equal(0);
    expect(workplace.environment()).to.deep.equal({});
  });

  it("deploys, lists the tokens, names the guardian, offers the ownership and writes the environment", async () => {
    const { output, errors, exitCode } = await workplace.run(onFirst());
    expect(exitCode, output + errors).to.equal(0);
    const environment = workplace.environment();
    address = environment.CONTRACT_ADDRESS as Address;
    expect(environment).to.include({
      CHAIN_ID: String(FIRST_ID),
      NETWORK_NAME: "A chain",
      BLOCK_TIME: "1",
      NATIVE_CURRENCY: "ETH",
      TOKENS: JSON.stringify(nameTokens(tokens)),
    });
    expect(await readContract(first, FIRST_ID, address)).to.deep.equal(HANDED_OVER);
    const client = clientOf(first, FIRST_ID);
    const block = BigInt(environment.START_BLOCK ?? "");
    expect(await client.getCode({ address, blockNumber: block })).to.be.a("string");
    expect(await client.getCode({ address, blockNumber: block - 1n })).to.equal(undefined);
    expect(output).to.include(`${owner.address} must accept ownership`).and.include("0x79ba5097");
    for (const text of [output, errors, readFileSync(workplace.environmentFile, "utf8")]) {
      expect(text).not.to.include(deployerKey.slice(2));
    }
  });

  it("deploys a contract whose EIP-712 domain wallets can read (EIP-5267)", async () => {
    const { domain, extensions } = await clientOf(first, FIRST_ID).getEip712Domain({ address });
    expect(extensions).to.deep.equal([]);
    expect(domain).to.include({
      ...{ name: "DeliveryVsPayment", version: "1" },
      ...{ chainId: FIRST_ID, verifyingContract: address },
    });
  });

  it("records the address in a list on request, once", async () => {
    const list = join(workplace.folder, "addresses.json");
    for (const said of ["Deployed.", "Nothing to do: everything is already deployed."]) {
      const { output, errors, exitCode } = await workplace.run(
        onFirst({}, { args: ["--yes", "--record", list] }),
      );
      expect(exitCode, output + errors).to.equal(0);
      expect(output).to.include(said);
      const { START_BLOCK } = workplace.environment();
      expect(JSON.parse(readFileSync(list, "utf8"))).to.deep.equal([
        { network: "A chain", chainId: FIRST_ID, address, startBlock: Number(START_BLOCK) },
      ]);
    }
  });

  it("reports that everything is done when it is run again, and sends nothing", async () => {
    const sent = await sentBy(deployer, first, FIRST_ID);
    const keyFile = join(workplace.folder, "deployer_key");
    writeFileSync(keyFile, `${deployerKey}\n`);
    const { output, errors, exitCode } = await workplace.run(
      onFirst({}, { args: [], deployerKey: undefined, variables: { DEPLOYER_KEY_FILE: keyFile } }),
    );
    expect(exitCode, errors).to.equal(0);
    expect(output).to.include("Nothing to do: everything is already deployed.");
    expect(await sentBy(deployer, first, FIRST_ID)).to.equal(sent);
  });

  it("recreates a lost environment file, and replaces another deployment's lines only with --force", async () => {
    const written = workplace.environment();
    const file = workplace.environmentFile;
    rmSync(file);
    expect((await workplace.run(onFirst({}, { args: ["--yes", "--start-block", "1"] }))).exitCode).to.equal(
      0,
    );
    expect(workplace.environment()).to.deep.equal({ ...written, START_BLOCK: "1" });
    rmSync(file);
    expect((await workplace.run(onFirst())).exitCode).to.equal(0);
    expect(workplace.environment()).to.deep.equal(written);

    writeFileSync(file, `${readFileSync(file, "utf8").replace(address, owner.address)}MAX_FEE_GWEI=7\n`);
    const refused = await workplace.run(onFirst());
    expect(refused.exitCode).to.equal(1);
    expect(refused.errors).to.include(
      `CONTRACT_ADDRESS: the file has ${owner.address}; this deployment has ${address}`,
    );
    const forced = await workplace.run(onFirst({}, { args: ["--yes", "--force"] }));
    expect(forced.exitCode, forced.errors).to.equal(0);
    expect(workplace.environment()).to.deep.equal({ ...written, MAX_FEE_GWEI: "7" });
  });

  it("sends each transaction once on a second chain although it is killed before and after each, at the same address", async () => {
    let command: ReturnType<ReturnType<typeof newWorkplace>["start"]> | undefined;
    let kills = 0;
    const node = startFatalNode(second.rpcUrl, () => {
      kills++;
      command?.kill();
    });
    const elsewhere = newWorkplace();
    for (;;) {
      const before = kills;
      command = elsewhere.start({ settings: settingsOf(SECOND_ID), rpcUrl: node.url, deployerKey });
      const { exitCode, output, errors } = await command.ended();
      if (exitCode === 0) break;
      expect(kills, output + errors).to.equal(before + 1);
    }
    node.stop();
    // The deployer's account sends seven transactions. The deterministic deployer's own transaction is tried once
    // before its sender has funds, and again afterwards.
    expect(node.transactions()).to.have.length(9);
    expect(kills).to.equal(2 * 9);
    expect(await sentBy(deployer, second, SECOND_ID)).to.equal(7);
    expect(elsewhere.environment().CONTRACT_ADDRESS).to.equal(address);
    expect(await readContract(second, SECOND_ID, address)).to.deep.equal(HANDED_OVER);
  });

  it("accepts the ownership if the new owner's key is available, and then finds nothing to do", async () => {
    const accepted = await workplace.run(onFirst({}, { variables: { OWNER_KEY: ownerKey } }));
    expect(accepted.exitCode, accepted.errors).to.equal(0);
    expect(await readContract(first, FIRST_ID, address)).to.include({ owner: owner.address });
    const { output, exitCode } = await workplace.run(onFirst());
    expect(exitCode).to.equal(0);
    expect(output)
      .to.include("Nothing to do: everything is already deployed.")
      .and.not.include("must accept");
  });

  it("names the call that the owner has to make once they own the contract", async () => {
    const client = clientOf(first, FIRST_ID);
    const call = { abi: deliveryVsPaymentAbi, functionName: "setTokenListed" } as const;
    const write = async (listed: boolean) => {
      const args = [tokens.DAI, listed] as const;
      const hash = await client.writeContract({ ...call, address, args, account: owner });
      await client.waitForTransactionReceipt({ hash });
    };
    await write(false);
    const { exitCode, errors } = await workplace.run(onFirst());
    expect(exitCode).to.equal(1);
    expect(errors).to.include(`${owner.address} must call setTokenListed(${tokens.DAI}, true) on ${address}`);
    expect(errors).to.include(encodeFunctionData({ ...call, args: [tokens.DAI, true] }));
    await write(true);
  });

  it("rejects a contract that belongs to somebody else, or has different code", async () => {
    const stranger = privateKeyToAddress(generatePrivateKey());
    const foreign = await workplace.run(onFirst({ owner: stranger }));
    expect(foreign.exitCode).to.equal(1);
    expect(foreign.errors).to.include(stranger).and.include(owner.address);

    const client = clientOf(first, FIRST_ID);
    const code = (await client.getCode({ address })) as Hex;
    // Uses the second chain's code, which differs only in the immutable chain id.
    const other = (await clientOf(second, SECOND_ID).getCode({ address })) as Hex;
    expect(other).to.not.equal(code);
    await client.setCode({ address, bytecode: other });
    const changed = await workplace.run(onFirst());
    await client.setCode({ address, bytecode: code });
    expect(changed.exitCode).to.equal(1);
    expect(changed.errors).to.include(`The code at ${address} differs from the compiled escrow`);
  });

  it("verifies the source last, at an explorer that fails once", async () => {
    const asked: string[] = [];
    let verified = false;
    const explorer = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const action = new URL(request.url).searchParams.get("action") ?? "";
        asked.push(action);
        const first = asked.filter((one) => one === action).length === 1;
        if (action === "getsourcecode") {
          return Response.json({ status: "1", result: [{ SourceCode: verified ? "source" : "" }] });
        }
        if (first) return new Response("overloaded", { status: 503 });
        if (action === "checkverifystatus") {
          verified = true;
          return Response.json({ status: "1", result: "Pass - Verified" });
        }
        const form = new URLSearchParams(await request.text());
        expect(form.get("contractaddress")).to.equal(address);
        return Response.json({ status: "1", result: "ticket" });
      },
    });
    const run = onFirst(
      { verify: [{ service: "etherscan", url: `http://127.0.0.1:${explorer.port}/api` }] },
      { variables: { EXPLORER_API_KEY: "an-api-key" } },
    );
    const { exitCode, output, errors } = await workplace.run(run);
    expect(exitCode, errors).to.equal(0);
    expect(output + errors).to.not.include("an-api-key");
    expect(verified).to.equal(true);
    expect((await workplace.run(run)).output).to.include("Nothing to do: everything is already deployed.");
    explorer.stop(true);
  });

  it.skipIf(!hasAnvil())("deploys on anvil at the same address, with its own test tokens", async () => {
    const anvil = await startAnvil(join(folder, "anvil.log"), {
      chainId: ANVIL_ID,
      blockTime: BLOCK_SECONDS,
    });
    try {
      const client = clientOf(anvil, ANVIL_ID);
      await client.setBalance({ address: deployer, value: parseEther("10") });
      const there = newWorkplace();
      // With interval mining, a killed run leaves a transaction that is not yet in a block.
      let command: ReturnType<typeof there.start> | undefined;
      const kill = () => command?.kill();
      const node = startFatalNode(anvil.rpcUrl, kill, (name) => name === `nonce 0 of ${deployer}`);
      const run = { settings: settingsOf(ANVIL_ID, { tokens: "test" }), rpcUrl: node.url, deployerKey };
      for (const killed of ["before", "after"]) {
        command = there.start(run);
        expect((await command.ended()).exitCode, killed).to.not.equal(0);
      }
      expect(await client.getTransactionCount({ address: deployer, blockTag: "pending" })).to.equal(1);
      const { exitCode, output, errors } = await there.run(run);
      expect(exitCode, output + errors).to.equal(0);
      expect(there.environment().CONTRACT_ADDRESS).to.equal(address);
      // The escrow, three listings, guardian and offer, each sent only once.
      expect(await sentBy(deployer, anvil, ANVIL_ID)).to.equal(6);
      const again = await there.run(run);
      node.stop();
      expect(again.output).to.include("Nothing to do: everything is already deployed.");
    } finally {
      await anvil.stop();
    }
  });
});

describe("npm run deploy rejects, without sending anything:", () => {
  const workplace = newWorkplace();
  /** A separate account, none of whose contracts are on the chain yet. */
  const strangerKey = generatePrivateKey();
  const stranger = privateKeyToAddress(strangerKey);

  const refusal = async (changes: object, run: Partial<Run> = {}) => {
    const { exitCode, errors } = await workplace.run(onFirst(changes, { deployerKey: strangerKey, ...run }));
    expect(exitCode, errors).to.equal(1);
    expect(errors).to.not.match(/^\s+at /m);
    expect(errors).to.not.include(strangerKey.slice(2));
    expect(workplace.environment()).to.deep.equal({});
    return errors;
  };

  beforeAll(() => clientOf(first, FIRST_ID).setBalance({ address: stranger, value: parseEther("10") }));
  afterAll(async () => expect(await sentBy(stranger, first, FIRST_ID)).to.equal(0));

  it("a chain other than the one in the settings", async () => {
    expect(await refusal({ chainId: 1 })).to.include(
      `The settings are for chain 1; the node in RPC_URL is on chain ${FIRST_ID}.`,
    );
  });

  it("tokens that differ from the settings: no code, different decimals, a different symbol", async () => {
    const nowhere = privateKeyToAddress(generatePrivateKey());
    const named = nameTokens(tokens) as Record<string, object>;
    const errors = await refusal({
      tokens: {
        USDC: { ...named.USDC, address: nowhere },
        USDT: { ...named.USDT, address: tokens.DAI },
        DAI: { ...named.DAI, symbol: "dai" },
      },
    });
    expect(errors).to.include(`The settings specify ${nowhere} for USDC; that address has no code.`);
    expect(errors).to.include(
      `The settings specify ${tokens.DAI} for USDT with 6 decimals; that contract has 18.`,
    );
    expect(errors).to.include(
      `The settings specify ${tokens.DAI} for USDT with the symbol "USDT"; that contract's is "DAI".`,
    );
    expect(errors).to.include('for DAI with the symbol "dai"; that contract\'s is "DAI".');
  });

  it("a deployer that cannot pay, showing its balance and the required amount", async () => {
    const poorKey = generatePrivateKey();
    const errors = await refusal({}, { deployerKey: poorKey });
    expect(errors).to.match(
      new RegExp(
        `The deployer ${privateKeyToAddress(poorKey)} has 0 ETH and needs 0\\.0\\d+ ETH: 0\\.0\\d+ ETH more\\.`,
      ),
    );
  });

  it("an environment file that could not be written after the deployment", async () => {
    const file = join(workplace.folder, "nowhere", "gateway.env");
    expect(await refusal({}, { args: ["--yes", "--env", file] })).to.include(
      `--env is ${file}, but the folder`,
    );
  });

  it("a start block that the chain does not have yet", async () => {
    const errors = await refusal({}, { args: ["--yes", "--start-block", "99999999"] });
    expect(errors).to.match(/^--start-block is 99999999, but the chain's latest block is \d+\.$/m);
  });

  it("an unresponsive node, without showing its URL", async () => {
    const errors = await refusal({}, { rpcUrl: "http://127.0.0.1:9/secret-path" });
    expect(errors.trim()).to.equal("The node in RPC_URL does not respond.");
  });

  it("settings that are unknown or unusable for the gateway", async () => {
    const { USDC, DAI } = nameTokens(tokens) as Record<string, { address: string }>;
    const cases: [object, string][] = [
      [{ colour: "blue" }, "colour: Unexpected property"],
      [{ name: "A chain\nOPERATOR_KEY=0x1" }, "name: Expected string to match"],
      [{ tokens: {} }, "tokens"],
      [{ tokens: { USDC, DAI: { ...DAI, decimals: 6 } } }, "knows DAI with 18 decimals"],
      [{ owner: owner.address.replace(/[A-F]/, (letter) => letter.toLowerCase()) }, "wrong checksum"],
      [{ owner: undefined }, "owner: missing"],
    ];
    for (const [changes, problem] of cases) expect(await refusal(changes)).to.include(problem);
  });

  it("keys that are missing, malformed, or not the named owner's", async () => {
    expect(await refusal({}, { deployerKey: undefined })).to.include("DEPLOYER_KEY or DEPLOYER_KEY_FILE");
    const none = `0x${"f".repeat(64)}` as const;
    const errors = await refusal({}, { deployerKey: none });
    expect(errors).to.include("DEPLOYER_KEY must be a private key").and.not.include("ffff");
    expect(await refusal({}, { variables: { OWNER_KEY: strangerKey } }))
      .to.include(stranger)
      .and.include(owner.address);
  });

  it("test tokens on a node that might belong to a real network", async () => {
    const real = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const body = await request.text();
        const { id, method } = JSON.parse(body) as { id: number; method: string };
        if (method === "web3_clientVersion")
          return Response.json({ jsonrpc: "2.0", id, result: "Geth/v1.16" });
        const headers = { "Content-Type": "application/json" };
        return fetch(first.rpcUrl, { method: "POST", body, headers });
      },
    });
    const errors = await refusal({ tokens: "test" }, { rpcUrl: `http://127.0.0.1:${real.port}` });
    real.stop(true);
    expect(errors).to.include("anyone can mint").and.include("Geth/v1.16");
  });

  it("a chain with a different contract at the deterministic deployer's address", async () => {
    const client = clientOf(first, FIRST_ID);
    const code = (await client.getCode({ address: DETERMINISTIC_DEPLOYER })) as Hex;
    await client.setCode({ address: DETERMINISTIC_DEPLOYER, bytecode: "0x00" });
    const errors = await refusal({});
    await client.setCode({ address: DETERMINISTIC_DEPLOYER, bytecode: code });
    expect(errors).to.include(`The contract at ${DETERMINISTIC_DEPLOYER} is not the deterministic deployer`);
  });
});
