// Deploys the escrow contract and the test tokens to a local chain.
import {
  type Abi,
  type Account,
  type Address,
  createTestClient,
  getContractAddress,
  type Hash,
  http,
  parseEther,
  publicActions,
  walletActions,
} from "viem";
import { CURRENCIES, type LocalCurrency } from "#core/money.ts";
import { committedArtifacts, compiledArtifact, type DEPLOYED } from "./compiled.ts";
import { hardhatChain, firstAccount as owner } from "./hardhat-chain.ts";
import { PERMIT2 } from "./permit2.ts";
import { testTokenAbi } from "./test-token-abi.ts";

export interface Deployment {
  contractAddress: Address;
  tokens: Record<LocalCurrency, Address>;
  /** The first block that can contain events of the contract. */
  startBlock: number;
}

const GAS = parseEther("10000");

/** Creates a client for a local chain that can read, send transactions from any account, and set balances. */
export function localChainClient(rpcUrl: string, account?: Account, chainId: number = hardhatChain.id) {
  return createTestClient({
    mode: "hardhat",
    chain: { ...hardhatChain, id: chainId },
    transport: http(rpcUrl),
    pollingInterval: 20,
    ...(account ? { account } : {}),
  })
    .extend(publicActions)
    .extend(walletActions);
}

/** Sets the accounts' ether balances, to pay for gas. */
export async function setGasBalances(rpcUrl: string, accounts: readonly Address[]): Promise<void> {
  const client = localChainClient(rpcUrl);
  await Promise.all(accounts.map((address) => client.setBalance({ address, value: GAS })));
}

export interface DeployOptions {
  /** Default 31337. */
  chainId?: number;
  /** Whether the escrow can pull the tokens from any payer. If false, they behave like ordinary tokens. Default true. */
  fundingTokens?: boolean;
  /** The account that can delist tokens. Default: none. */
  guardian?: Address;
}

/** Deploys the contract and the tokens, and lists the tokens. Requires compiled contracts (compile.ts). */
export async function deployLocal(
  rpcUrl: string,
  { chainId, fundingTokens = true, guardian }: DeployOptions = {},
): Promise<Deployment> {
  const client = localChainClient(rpcUrl, owner, chainId);
  const startBlock = Number(await client.getBlockNumber({ cacheTime: 0 }));
  // The nonces determine the addresses and the execution order, so no transaction is awaited before the next one is
  // sent.
  let nonce = await client.getTransactionCount({ address: owner.address, blockTag: "pending" });
  const sent: Hash[] = [];
  const committed = committedArtifacts();
  const deploy = async (name: (typeof DEPLOYED)[number], args: readonly unknown[]) => {
    const { abi, bytecode } = committed?.[name] ?? compiledArtifact(name);
    const address = getContractAddress({ from: owner.address, nonce: BigInt(nonce) });
    sent.push(await client.deployContract({ abi, bytecode, args, account: owner, nonce: nonce++ }));
    return { abi, address };
  };
  const call = async (address: Address, abi: Abi, functionName: string, args: readonly unknown[]) => {
    sent.push(
      await client.writeContract({ address, abi, functionName, args, account: owner, nonce: nonce++ }),
    );
  };

  const escrow = await deploy("DeliveryVsPayment", [owner.address, PERMIT2]);
  const tokens: Partial<Record<LocalCurrency, Address>> = {};
  for (const symbol of CURRENCIES) {
    const token = await deploy(`tokens/${symbol}`, []);
    if (fundingTokens) await call(token.address, token.abi, "setEscrow", [escrow.address]);
    await call(escrow.address, escrow.abi, "setTokenListed", [token.address, true]);
    tokens[symbol] = token.address;
  }
  if (guardian) await call(escrow.address, escrow.abi, "setGuardian", [guardian]);
  for (const hash of sent) {
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== "success") throw new Error(`The deployment failed: transaction ${hash} was reverted.`);
  }
  return { contractAddress: escrow.address, tokens: tokens as Deployment["tokens"], startBlock };
}

/** Gives test tokens to an account. The amount is in the token's smallest unit. */
export async function faucet(rpcUrl: string, token: Address, to: Address, amount: bigint): Promise<void> {
  const client = localChainClient(rpcUrl, owner);
  const hash = await client.writeContract({
    address: token,
    abi: testTokenAbi,
    functionName: "faucet",
    args: [to, amount],
    account: owner,
  });
  await client.waitForTransactionReceipt({ hash });
}
