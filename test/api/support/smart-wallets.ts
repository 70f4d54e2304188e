// Contract wallets: one that verifies its owner's signatures by ERC-1271, and code to which an EIP-7702 account can
// delegate.
import { type Address, getContractAddress, zeroAddress } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import { compileMock } from "#test/support/compile-mock.ts";
import { createChainClient } from "./payments.ts";

async function deploy(
  rpcUrl: string,
  name: "Wallet" | "Delegate",
  args: readonly Address[],
): Promise<Address> {
  const chain = createChainClient(rpcUrl);
  const deployer = privateKeyToAccount(generatePrivateKey());
  await setGasBalances(rpcUrl, [deployer.address]);
  const { abi, bytecode } = compileMock("Wallet.sol", name);
  const hash = await chain.deployContract({ account: deployer, abi, bytecode, args });
  await chain.waitForTransactionReceipt({ hash });
  return getContractAddress({ from: deployer.address, nonce: 0n });
}

/** Deploys a contract that accepts its owner's signatures. */
export const smartWalletOf = (rpcUrl: string, owner: PrivateKeyAccount): Promise<Address> =>
  deploy(rpcUrl, "Wallet", [owner.address]);

/** Delegates an account to code that does not verify signatures (EIP-7702). */
export async function delegate(rpcUrl: string, account: PrivateKeyAccount): Promise<Address> {
  const chain = createChainClient(rpcUrl);
  const code = await deploy(rpcUrl, "Delegate", []);
  await setGasBalances(rpcUrl, [account.address]);
  const authorization = await chain.signAuthorization({ account, contractAddress: code, executor: "self" });
  const hash = await chain.sendTransaction({
    account,
    // The code accepts no plain calls. The authorization is valid for any recipient of the transaction.
    to: zeroAddress,
    authorizationList: [authorization],
  });
  await chain.waitForTransactionReceipt({ hash });
  return code;
}
