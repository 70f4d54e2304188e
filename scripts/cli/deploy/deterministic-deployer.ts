// The canonical deterministic deployer (https://github.com/Arachnid/deterministic-deployment-proxy): a contract without
// owner or state that deploys its input with CREATE2, at an address that depends only on salt and code.
//
// It has the same address everywhere because it is deployed by a transaction without a chain id and with a made-up
// signature: no one has the sender's key, so nothing else can be sent from that account.
import type { Address, Hex } from "viem";
import { UserError } from "../../shared/errors.ts";
import type { Node } from "./node.ts";

export const DETERMINISTIC_DEPLOYER: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

export const DETERMINISTIC_DEPLOYER_CODE: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

/** The account that sends the presigned transaction and can never send another. */
export const PRESIGNED_SENDER: Address = "0x3fAB184622Dc19b6109349B94811493BF2a45362";

export const PRESIGNED_TRANSACTION: Hex =
  "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222";

const PRESIGNED_GAS = 100_000n;
const PRESIGNED_GAS_PRICE = 100_000_000_000n;
/** The balance that the sender needs: 0.01 of the native currency. */
export const PRESIGNED_COST = PRESIGNED_GAS * PRESIGNED_GAS_PRICE;

/** Matches the errors with which nodes reject a transaction without a chain id. */
const REPLAY_PROTECTED_ONLY = /replay.?protected|EIP-?155|unprotected|chain.?id/i;

/** @throws UserError if another contract is at the deployer's address */
export async function hasDeterministicDeployer({ reader }: Pick<Node, "reader">): Promise<boolean> {
  const code = await reader.getCode({ address: DETERMINISTIC_DEPLOYER });
  if (code === undefined || code === DETERMINISTIC_DEPLOYER_CODE) return code !== undefined;
  throw new UserError(
    `The contract at ${DETERMINISTIC_DEPLOYER} is not the deterministic deployer: its code is different. The escrow cannot be ` +
      "deployed at its usual address on this chain.",
  );
}

/** Returns the amount that the sender's balance lacks. */
export async function missingFunds({ reader }: Pick<Node, "reader">): Promise<bigint> {
  const balance = await reader.getBalance({ address: PRESIGNED_SENDER });
  return balance < PRESIGNED_COST ? PRESIGNED_COST - balance : 0n;
}

/** @throws UserError if the presigned transaction can never take effect on this chain */
export async function requirePossible({ reader }: Pick<Node, "reader">): Promise<void> {
  const [nonce, { baseFeePerGas }] = await Promise.all([
    reader.getTransactionCount({ address: PRESIGNED_SENDER }),
    reader.getBlock(),
  ]);
  if (nonce > 0) {
    throw new UserError(
      `The deterministic deployer's transaction has failed on this chain: ${DETERMINISTIC_DEPLOYER} has no code, and its sender ` +
        `${PRESIGNED_SENDER} cannot send it again. Ask the chain's operators to provide the contract.`,
    );
  }
  if ((baseFeePerGas ?? 0n) > PRESIGNED_GAS_PRICE) {
    throw new UserError(
      `The deterministic deployer's transaction pays 100 gwei per unit of gas; the chain requires ${baseFeePerGas} wei. Try again ` +
        "when gas is cheaper.",
    );
  }
}

const refusal = (details: string) =>
  new UserError(
    `The node does not accept the deterministic deployer's transaction, which has no chain id (${details}). Use a node that accepts ` +
      `it (geth: --rpc.allow-unprotected-txs), or ask the chain's operators to provide the contract ${DETERMINISTIC_DEPLOYER}.`,
  );

/**
 * Sends the presigned transaction once before its sender is funded. A node that rejects transactions without a chain id
 * reports that before any funds are spent; any other node rejects this one only because of the missing funds. If the
 * node accepts it, no funding is needed.
 */
export async function requireAcceptance(node: Node): Promise<void> {
  const problem = await sendPresigned(node);
  if (problem !== undefined && REPLAY_PROTECTED_ONLY.test(problem)) throw refusal(problem);
}

/** @throws UserError if the node rejects the transaction */
export async function deployDeterministicDeployer(node: Node): Promise<void> {
  const problem = await sendPresigned(node);
  if (problem === undefined || (await hasDeterministicDeployer(node))) return;
  // An earlier run may already have sent the transaction.
  if (/already|known|nonce too low/i.test(problem)) return;
  throw refusal(problem);
}

/** @returns the node's error, or undefined if it accepted the transaction */
async function sendPresigned({ reader, describeError }: Node): Promise<string | undefined> {
  try {
    await reader.sendRawTransaction({ serializedTransaction: PRESIGNED_TRANSACTION });
    return undefined;
  } catch (error) {
    return describeError(error);
  }
}
