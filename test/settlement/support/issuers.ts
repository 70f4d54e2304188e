// Calls the issuer-only functions of the test tokens. The account that deployed a token acts as its issuer
// (contracts/tokens).
import { type Address, type Hash, parseAbi } from "viem";
import { localChainClient } from "#scripts/devnet/deploy.ts";
import { firstAccount } from "#scripts/devnet/hardhat-chain.ts";

const issuerAbi = parseAbi([
  "function blacklist(address account)",
  "function unBlacklist(address account)",
  "function pause()",
  "function unpause()",
  "function addBlackList(address account)",
  "function removeBlackList(address account)",
  "function destroyBlackFunds(address account)",
  "function setParams(uint256 newBasisPoints, uint256 newMaxFee)",
]);

export type IssuerAction =
  | ["blacklist" | "unBlacklist" | "addBlackList" | "removeBlackList" | "destroyBlackFunds", Address]
  | ["pause" | "unpause"]
  | ["setParams", bigint, bigint];

/** @returns the number of the block that contains the transaction */
export async function actAsIssuer(rpcUrl: string, token: Address, action: IssuerAction): Promise<bigint> {
  const client = localChainClient(rpcUrl, firstAccount);
  const [functionName, ...args] = action;
  const call = { address: token, abi: issuerAbi, functionName, args, account: firstAccount };
  const hash: Hash = await client.writeContract(call as Parameters<typeof client.writeContract>[0]);
  const { blockNumber, status } = await client.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error(`${functionName} reverted.`);
  return blockNumber;
}
