// The powers of the test tokens' issuers, which their deployer holds (contracts/tokens).
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

export type IssuersAct =
  | ["blacklist" | "unBlacklist" | "addBlackList" | "removeBlackList" | "destroyBlackFunds", Address]
  | ["pause" | "unpause"]
  | ["setParams", bigint, bigint];

/** @returns the block of the issuer's transaction */
export async function actAsIssuer(rpcUrl: string, token: Address, act: IssuersAct): Promise<bigint> {
  const client = localChainClient(rpcUrl, firstAccount);
  const [functionName, ...args] = act;
  const call = { address: token, abi: issuerAbi, functionName, args, account: firstAccount };
  const hash: Hash = await client.writeContract(call as Parameters<typeof client.writeContract>[0]);
  const { blockNumber, status } = await client.waitForTransactionReceipt({ hash });
  if (status !== "success") throw new Error(`${functionName} was reverted.`);
  return blockNumber;
}
