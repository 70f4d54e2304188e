// Test helpers that query and change an escrow order, through the API and on chain.
import { expect } from "chai";
import { type Address, erc20Abi, type Hex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { until } from "#scripts/shared/wait.ts";
import type { RunningStack } from "../../support/shared-stack.ts";
import type { Client, Escrow } from "./client.ts";
import { loadTerms } from "./direct-payment.ts";
import { createChainClient } from "./payments.ts";

const TIMEOUT_MS = 30_000;

export async function retrieveEscrow(client: Client, intentId: string): Promise<Escrow["data"]> {
  const { status, body } = await client.get<Escrow>(`/payment-intents/${intentId}/escrow`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.data;
}

export const untilEscrow = (client: Client, intentId: string, fields: Partial<Escrow["data"]>) =>
  until(
    async () => {
      const data = await retrieveEscrow(client, intentId);
      return Object.entries(fields).every(([name, value]) => data[name] === value) ? data : null;
    },
    { what: `The escrow of ${intentId} matching ${JSON.stringify(fields)}`, timeoutMs: TIMEOUT_MS },
  );

/** Returns the account's USDC balance, in the smallest unit. */
export const readUsdcBalance = ({ rpcUrl, tokens }: RunningStack, account: Address): Promise<bigint> =>
  createChainClient(rpcUrl).readContract({
    address: tokens.USDC,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account],
  });

type EscrowFunction =
  | "release"
  | "releaseMilestone"
  | "releaseTimeLocked"
  | "reclaim"
  | "refund"
  | "raiseDispute"
  | "submitDeliveryProof";

/**
 * Calls a function of the contract on an intent's order, and waits until the transaction is mined.
 * @returns the transaction's hash
 */
export async function actOnChain(
  stack: RunningStack,
  account: PrivateKeyAccount,
  intentId: string,
  functionName: EscrowFunction,
  ...args: (bigint | string)[]
): Promise<Hex> {
  const chain = createChainClient(stack.rpcUrl);
  const hash = await chain.writeContract({
    account,
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName,
    args: [await loadTerms(stack.databaseUrl, intentId), ...args] as never,
  });
  await chain.waitForTransactionReceipt({ hash });
  return hash;
}

/** Reads the on-chain order of an intent. */
export const readOrder = async (stack: RunningStack, intentId: string) =>
  createChainClient(stack.rpcUrl).readContract({
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName: "getOrder",
    args: [await loadTerms(stack.databaseUrl, intentId)],
  });

export const payerOf = ({ payer }: RunningStack): PrivateKeyAccount => privateKeyToAccount(payer.privateKey);

/** The account of the stack's first merchant. */
export function firstMerchant({ merchants }: RunningStack): PrivateKeyAccount {
  const [merchant] = merchants;
  if (!merchant) throw new Error("The stack has no merchant.");
  return privateKeyToAccount(merchant.privateKey);
}

/** Sends a POST request to a path below an intent, by default without a body. */
export const post = <T>(client: Client, intentId: string, path: string, body?: object) =>
  client.send<T>("POST", `/payment-intents/${intentId}/${path}`, body === undefined ? {} : { body });
