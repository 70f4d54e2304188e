// Runs gateways on a contract that `npm run deploy` deploys, with the environment file that the command
// writes and the variables that it leaves out. With production settings, a token holder pays and a provider
// pays out to a bank account. With local settings, the payment of `npm run demo` settles.
import { afterAll, beforeAll, describe, it } from "bun:test";
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Address, erc20Abi, parseEther } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAddress } from "viem/accounts";
import { type KeyPrefix, newKey } from "#core/api-keys/api-keys.ts";
import { hasAnvil } from "#scripts/devnet/anvil.ts";
import { startChain } from "#scripts/devnet/chain.ts";
import type { Child } from "#scripts/devnet/child.ts";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { publicUrls, ROLES, roleProcessReady, startRoleProcess, webhookUrl } from "#scripts/devnet/roles.ts";
import { openTestFolder } from "#scripts/devnet/test-folder.ts";
import { testTokenAbi } from "#scripts/devnet/test-token-abi.ts";
import { startProvider } from "#scripts/provider/provider.ts";
import { ensureMerchant } from "#scripts/shared/merchants.ts";
import { Client } from "#test/api/support/client.ts";
import { fund, newPayer, prove, untilStatus } from "#test/api/support/payments.ts";
import { plainNode } from "#test/live/support/plain-node.ts";
import { TO_BANK } from "#test/live/support/two-networks.ts";
import { DEEP } from "#test/support/deep.ts";
import { runScript } from "#test/support/run-script.ts";
import { QUICK_TRANSFERS, testDatabase } from "#test/support/stack.ts";
import { startAnvil } from "./support/anvil.ts";
import { openWorkplace } from "./support/deploy-command.ts";

const CHAIN_ID = 31_340;
const PRICE = 100_000_000n;

const keys = {
  deployer: generatePrivateKey(),
  owner: generatePrivateKey(),
  operator: generatePrivateKey(),
  localOperator: generatePrivateKey(),
  merchant: generatePrivateKey(),
};
const arbiter = privateKeyToAddress(generatePrivateKey());
const offRamp = privateKeyToAddress(generatePrivateKey());

const workplace = openWorkplace();
const ending: (() => unknown)[] = [() => rmSync(workplace.folder, { recursive: true })];
let logs: string;
let rpcUrl: string;
let chain: ReturnType<typeof localChainClient>;
let deployed: Record<string, string>;

/** Starts anvil if its package has a binary for this platform, and Hardhat otherwise. */
const startNode = (log: string) =>
  hasAnvil()
    ? startAnvil(log, { chainId: CHAIN_ID, blockTime: 1 })
    : startChain({ log, chainId: CHAIN_ID, blockIntervalMs: 1_000 });

/** Starts a gateway with its own database and provider, and resolves when every role is ready. */
async function startGateway(name: string, keyPrefix: KeyPrefix, settings: Record<string, string>) {
  const databaseUrl = await testDatabase();
  const apiKey = newKey(keyPrefix);
  const account = privateKeyToAddress(keys.merchant);
  await ensureMerchant(databaseUrl, { name: "A merchant", account, apiKey });
  const ports = { api: await freePort(), webhooks: await freePort() };
  const provider = startProvider({
    webhookUrl: webhookUrl(ports.webhooks),
    walletAddress: offRamp,
    ...QUICK_TRANSFERS,
  });
  ending.unshift(() => provider.stop());
  const { baseUrl, paymentPageUrl } = publicUrls(ports.api);
  const variables = {
    ...deployed,
    ...provider.environment,
    DATABASE_URL: databaseUrl,
    BASE_URL: baseUrl,
    PAYMENT_PAGE_URL: paymentPageUrl,
    WEBHOOK_SECRET_KEY: randomBytes(32).toString("hex"),
    HOST: "127.0.0.1",
    PORT: String(ports.api),
    INDEXER_PORT: String(await freePort()),
    SETTLEMENT_PORT: String(await freePort()),
    WEBHOOK_PORT: String(ports.webhooks),
    ...settings,
  };
  const migrated = await runScript("migrate.ts", [], variables);
  expect(migrated.exitCode, migrated.errors).to.equal(0);
  const children: Child[] = [];
  ending.unshift(() => Promise.all(children.map((child) => child.stop())));
  for (const role of ROLES) {
    const child = await startRoleProcess(role, variables, join(logs, `${name}-${role}.log`));
    children.push(child);
    await roleProcessReady(child, variables);
  }
  return { baseUrl, apiKey };
}

/** Creates an account that holds the payment's amount in USDC, and approves the escrow to spend it. */
async function richPayer(): Promise<PrivateKeyAccount> {
  const payer = newPayer();
  await chain.setBalance({ address: payer.address, value: parseEther("1") });
  const token = JSON.parse(deployed.TOKENS ?? "").USDC.address as Address;
  const minted = await chain.writeContract({
    ...{ address: token, abi: testTokenAbi, functionName: "faucet", account: payer },
    args: [payer.address, PRICE],
  });
  await chain.waitForTransactionReceipt({ hash: minted });
  const approved = await chain.writeContract({
    ...{ address: token, abi: erc20Abi, functionName: "approve", account: payer },
    args: [deployed.CONTRACT_ADDRESS as Address, PRICE],
  });
  await chain.waitForTransactionReceipt({ hash: approved });
  return payer;
}

beforeAll(async () => {
  logs = process.env.TEST_FOLDER ?? (await openTestFolder()).folder;
  const node = await startNode(join(logs, "deployed-chain.log"));
  ending.push(() => node.stop());
  ({ rpcUrl } = node);
  chain = localChainClient(rpcUrl, undefined, CHAIN_ID);
  for (const key of Object.values(keys)) {
    await chain.setBalance({ address: privateKeyToAddress(key), value: parseEther("10") });
  }
  const { exitCode, output, errors } = await workplace.run({
    settings: {
      ...{ name: "A network", chainId: CHAIN_ID, blockTime: 1, tokens: "test" },
      owner: privateKeyToAddress(keys.owner),
      gateway: { arbiter, offRamp },
    },
    ...{ rpcUrl, deployerKey: keys.deployer, variables: { OWNER_KEY: keys.owner } },
  });
  expect(exitCode, output + errors).to.equal(0);
  deployed = workplace.environment();
});

afterAll(async () => {
  for (const end of ending) await end();
});

describe("a gateway on a deployed contract", () => {
  it("accepts a token holder's payment and pays it out, with only a public node's RPC methods", async () => {
    const plain = plainNode(rpcUrl);
    ending.unshift(() => plain.stop());
    const { baseUrl, apiKey } = await startGateway("production", "sk_live_", {
      RPC_URL: plain.url,
      OPERATOR_KEY: keys.operator,
    });
    const client = new Client(baseUrl, apiKey);
    const intent = await fund(client, { ...TO_BANK, autoRelease: true }, await richPayer());
    expect(intent.data.chainId).to.equal(CHAIN_ID);
    const { status, body } = await prove(client, intent.id);
    expect(status, JSON.stringify(body)).to.equal(200);
    await untilStatus(client, intent.id, "SETTLED");
    const received = await chain.readContract({
      ...{ address: JSON.parse(deployed.TOKENS ?? "").USDC.address as Address, abi: erc20Abi },
      ...{ functionName: "balanceOf", args: [offRamp] },
    });
    expect(received).to.equal(PRICE);
    expect(plain.rejected).to.deep.equal([]);
  });

  // Takes half a minute, so it is skipped if this file is run without npm run test:deep.
  it.skipIf(!DEEP)("settles the payment of npm run demo", async () => {
    const { baseUrl, apiKey } = await startGateway("local", "sk_test_", {
      ...{ GATEWAY_ENV: "local", RPC_URL: rpcUrl, OPERATOR_KEY: keys.localOperator },
      ...{ MOCK_PAYOUT_MIN_MS: "200", MOCK_PAYOUT_MAX_MS: "500" },
    });
    const local = join(workplace.folder, "local.json");
    writeFileSync(local, JSON.stringify({ baseUrl, merchants: [{ apiKey }] }));
    const { exitCode, output, errors } = await runScript("demo.ts", [], { GATEWAY_LOCAL_FILE: local });
    expect(exitCode, output + errors).to.equal(0);
    expect(output).to.include("SETTLED");
  });
});
