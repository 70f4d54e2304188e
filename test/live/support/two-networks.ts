// A gateway with a test network and a live network. The test network is the shared one. The live network has its own
// database and roles, and a separate chain with ordinary tokens, which the gateway accesses through a node with only
// standard methods.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { erc20Abi, type Hex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAddress } from "viem/accounts";
import { newKey } from "#core/api-keys/api-keys.ts";
import { connectChain } from "#core/chain/client.ts";
import { readTokens } from "#core/config/token-config.ts";
import { recordDeployment } from "#core/deployment/deployment.ts";
import type { LocalCurrency } from "#core/money.ts";
import { startChain } from "#scripts/devnet/chain.ts";
import type { Child } from "#scripts/devnet/child.ts";
import { deployLocal, localChainClient, setGasBalances } from "#scripts/devnet/deploy.ts";
import { freePort } from "#scripts/devnet/ports.ts";
import { roleProcessReady, startRoleProcess, webhookUrl } from "#scripts/devnet/roles.ts";
import { testTokenAbi } from "#scripts/devnet/test-token-abi.ts";
import { startProvider } from "#scripts/provider/provider.ts";
import { ensureMerchant } from "#scripts/shared/merchants.ts";
import { startAnotherApi } from "#test/support/another-api.ts";
import { type SharedStack, sharedStack } from "#test/support/shared-stack.ts";
import { QUICK_TRANSFERS, testDatabase } from "#test/support/stack.ts";
import { plainNode } from "./plain-node.ts";

const CHAIN_ID = 31_338;
const PACE = { blockIntervalMs: 300, idleBlockIntervalMs: 1_000 };

/** Live payments settle to a real account, because the mock bank makes no real payments. */
export const TO_BANK = {
  settlementMethod: "OFF_RAMP_TO_BANK",
  settlementDestination: "DE89 3704 0044 0532 0130 00",
} as const;

export type LiveNetwork = Awaited<ReturnType<typeof startNetwork>>;

async function startNetwork(log: string) {
  const [databaseUrl, chain] = await Promise.all([
    testDatabase(),
    startChain({ log, ...PACE, chainId: CHAIN_ID, node: "anvil" }),
  ]);
  const deployment = await deployLocal(chain.rpcUrl, { chainId: CHAIN_ID, fundingTokens: false });
  const keys = {
    operator: generatePrivateKey(),
    arbiter: generatePrivateKey(),
    merchant: generatePrivateKey(),
  };
  await setGasBalances(chain.rpcUrl, Object.values(keys).map(privateKeyToAddress));
  const walletAddress = privateKeyToAddress(generatePrivateKey());
  const { units } = readTokens(JSON.stringify(deployment.tokens));
  const facts = {
    chainId: CHAIN_ID,
    genesisHash: chain.genesisHash,
    ...deployment,
    units,
    wallets: [walletAddress],
  };
  await recordDeployment(databaseUrl, facts, {
    client: connectChain({ chain: { id: CHAIN_ID, rpcUrl: chain.rpcUrl } }),
    environment: "production",
    verifiedBy: "npm run migrate",
  });
  const apiKey = newKey("sk_live_");
  const account = privateKeyToAddress(keys.merchant);
  const merchant = await ensureMerchant(databaseUrl, { name: "Live merchant", account, apiKey });
  const node = plainNode(chain.rpcUrl);
  const client = localChainClient(chain.rpcUrl, undefined, CHAIN_ID);
  const write = async (account: PrivateKeyAccount, request: object): Promise<Hex> => {
    const hash = await client.writeContract({ account, ...request } as never);
    await client.waitForTransactionReceipt({ hash });
    return hash;
  };
  const ports = { indexer: await freePort(), settlement: await freePort(), webhooks: await freePort() };
  const provider = startProvider({
    webhookUrl: webhookUrl(ports.webhooks),
    walletAddress,
    ...QUICK_TRANSFERS,
  });
  return {
    ...deployment,
    ...merchant,
    databaseUrl,
    client,
    /** The gateway's calls of methods that only a development node has. */
    strangeRequests: node.rejected,
    write,
    /** Funds an account with gas and tokens, in the smallest unit, like a real user's account. */
    async give(account: PrivateKeyAccount, units: bigint, currency: LocalCurrency = "USDC") {
      await setGasBalances(chain.rpcUrl, [account.address]);
      if (units === 0n) return;
      const args = [account.address, units] as const;
      const address = deployment.tokens[currency];
      await write(account, { address, abi: testTokenAbi, functionName: "faucet", args });
    },
    approve(
      account: PrivateKeyAccount,
      units: bigint,
      { currency = "USDC" as LocalCurrency, spender = deployment.contractAddress } = {},
    ) {
      const address = deployment.tokens[currency];
      return write(account, { address, abi: erc20Abi, functionName: "approve", args: [spender, units] });
    },
    provider,
    ports: { indexer: String(ports.indexer), settlement: String(ports.settlement) },
    webhookPort: String(ports.webhooks),
    environment: {
      LIVE_DATABASE_URL: databaseUrl,
      LIVE_RPC_URL: node.url,
      LIVE_CHAIN_ID: String(CHAIN_ID),
      LIVE_BLOCK_TIME: String(PACE.blockIntervalMs / 1000),
      LIVE_CONTRACT_ADDRESS: deployment.contractAddress,
      LIVE_START_BLOCK: String(deployment.startBlock),
      LIVE_TOKENS: JSON.stringify(deployment.tokens),
      LIVE_OPERATOR_KEY: keys.operator,
      LIVE_ARBITER_ADDRESS: privateKeyToAddress(keys.arbiter),
      LIVE_OFF_RAMP_ADDRESS: walletAddress,
      LIVE_WEBHOOK_SECRET_KEY: randomBytes(32).toString("hex"),
      ...Object.fromEntries(
        Object.entries(provider.environment).map(([name, value]) => [`LIVE_${name}`, value]),
      ),
    },
    async stop() {
      await Promise.all([node.stop(), provider.stop()]);
      await chain.stop();
    },
  };
}

/** Starts the live network and an API, and resolves when the API serves both networks. */
export async function startTwoNetworks(log: string) {
  const [live, shared] = await Promise.all([startNetwork(log), sharedStack()]);
  const children: Child[] = [];
  let stack: SharedStack = shared;
  const stop = async () => {
    await stack.stop();
    await Promise.all(children.map((child) => child.stop()));
    await live.stop();
  };
  try {
    const settings = {
      ...live.environment,
      LIVE_INDEXER_PORT: live.ports.indexer,
      LIVE_SETTLEMENT_PORT: live.ports.settlement,
      LIVE_WEBHOOK_PORT: live.webhookPort,
      // The shared gateway already has a test clock.
      TEST_CLOCK: "off",
    };
    const name = randomBytes(3).toString("hex");
    for (const role of ["indexer", "settlement"] as const) {
      const environment = { ...stack.environment, ...settings, GATEWAY_NETWORK: "live" };
      const child = await startRoleProcess(role, environment, join(stack.logs, `live-${role}-${name}.log`));
      children.push(child);
      await roleProcessReady(child, {
        INDEXER_PORT: live.ports.indexer,
        SETTLEMENT_PORT: live.ports.settlement,
      });
    }
    stack = await startAnotherApi(stack, settings);
    return { stack, live, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
