// Sets up a gateway on a new chain and a migrated database: contracts, funded accounts, the recorded deployment,
// merchants, and the roles' environment.
import type { Address, Hex } from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { connectChain } from "#core/chain/client.ts";
import { readTokens } from "#core/config/token-config.ts";
import { recordDeployment } from "#core/deployment/deployment.ts";
import { CURRENCIES, CURRENCY_DECIMALS } from "#core/money.ts";
import { ensureMerchant } from "../shared/merchants.ts";
import type { Chain } from "./chain.ts";
import { type Deployment, deployLocal, faucet, setGasBalances } from "./deploy.ts";
import { ensureUser } from "./ensure-user.ts";
import type { LocalFile } from "./local-file.ts";
import { type Environment, gatewayEnvironment, publicUrls, type RolePorts } from "./roles.ts";
import { localMerchant, type Secrets, wallet } from "./secrets.ts";

export interface NetworkResources {
  /** A database with all migrations applied. */
  databaseUrl: string;
  chain: Chain;
  secrets: Secrets;
  ports: RolePorts;
}

export interface GatewaySetup {
  environment: Environment;
  local: Omit<LocalFile, "environment">;
  /**
   * `changed`: whether the database was recorded for another chain. `orphaned`: that chain's number of unfinished
   * intents.
   */
  replaced: { changed: boolean; orphaned: number };
}

/** The payer's balance of every token, in whole tokens. */
const PAYER_FUNDS = 1_000_000n;

export async function setUpGateway({
  databaseUrl,
  chain,
  secrets,
  ports,
}: NetworkResources): Promise<GatewaySetup> {
  const { chainId, genesisHash, rpcUrl } = chain;
  // Each deployment gets a new operator key, because nonces restart on a new chain.
  const operatorKey = generatePrivateKey();
  const guardian = privateKeyToAddress(secrets.guardian);
  const deployment = await deployLocal(rpcUrl, { guardian });
  await fundAccounts(rpcUrl, operatorKey, secrets, deployment.tokens);
  const facts = {
    chainId,
    genesisHash,
    ...deployment,
    ...readTokens(JSON.stringify(deployment.tokens)),
    wallets: [privateKeyToAddress(secrets.offRamp)],
  };
  const replaced = await recordDeployment(databaseUrl, facts, {
    client: connectChain({ chain: { id: chainId, rpcUrl } }),
    environment: "local",
    verifiedBy: "npm start",
  });
  const merchants = await Promise.all(
    secrets.merchants.map(async (merchant) => {
      const { name, apiKey, privateKey } = merchant;
      const stored = await ensureMerchant(databaseUrl, {
        name,
        apiKey,
        account: privateKeyToAddress(privateKey),
      });
      return localMerchant(merchant, stored);
    }),
  );
  const { baseUrl, paymentPageUrl, dashboardUrl } = publicUrls(ports.api);
  const login = { email: "demo@example.com", password: secrets.dashboard.password };
  const [first] = merchants;
  if (!first) throw new Error("No merchant is configured. The dashboard login needs one.");
  await ensureUser(databaseUrl, { ...login, name: "Demo", merchantId: first.merchantId });
  const { contractAddress, tokens } = deployment;
  const [payer, oracle] = [wallet(secrets.payer), wallet(secrets.oracle)];
  return {
    environment: gatewayEnvironment({
      databaseUrl,
      chain,
      deployment,
      operatorKey,
      arbiterKey: secrets.arbiter,
      guardianKey: secrets.guardian,
      offRampKey: secrets.offRamp,
      dashboardSecret: secrets.dashboard.secret,
      ports,
    }),
    local: {
      baseUrl,
      paymentPageUrl,
      rpcUrl,
      chainId,
      contractAddress,
      tokens,
      databaseUrl,
      merchants,
      payer,
      oracle,
      dashboard: { url: dashboardUrl, ...login },
    },
    replaced,
  };
}

async function fundAccounts(
  rpcUrl: string,
  operator: Hex,
  secrets: Secrets,
  tokens: Deployment["tokens"],
): Promise<void> {
  const payer: Address = privateKeyToAddress(secrets.payer);
  const keys = [
    operator,
    secrets.payer,
    secrets.oracle,
    secrets.arbiter,
    secrets.guardian,
    ...secrets.merchants.map(({ privateKey }) => privateKey),
  ];
  await setGasBalances(rpcUrl, keys.map(privateKeyToAddress));
  for (const currency of CURRENCIES) {
    await faucet(rpcUrl, tokens[currency], payer, PAYER_FUNDS * 10n ** BigInt(CURRENCY_DECIMALS[currency]));
  }
}
