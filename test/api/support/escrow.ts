// Test helpers that query an escrow order through the API and on chain.
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

export async function escrowOf(client: Client, id: string): Promise<Escrow["data"]> {
  const { status, body } = await client.get<Escrow>(`/payment-intents/${id}/escrow`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return body.data;
}

export const untilEscrow = (client: Client, id: string, fields: Partial<Escrow["data"]>) =>
  until(
    async () => {
      const data = await escrowOf(client, id);
      return Object.entries(fields).every(([name, value]) => data[name] === value) ? data : null;
    },
    { what: `${id} being ${JSON.stringify(fields)}`, timeoutMs: TIMEOUT_MS },
  );

/** Returns the account's USDC balance, in the smallest unit. */
export const usdcOf = ({ rpcUrl, tokens }: RunningStack, account: Address): Promise<bigint> =>
  createChainClient(rpcUrl).readContract({
    address: tokens.USDC,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account],
  });

type Move =
  | "release"
  | "releaseMilestone"
  | "releaseTimeLocked"
  | "reclaim"
  | "refund"
  | "raiseDispute"
  | "submitDeliveryProof";

/** Funds the account with gas and calls the contract from it. */
export async function actOnChain(
  stack: RunningStack,
  account: PrivateKeyAccount,
  id: string,
  functionName: Move,
  ...args: (bigint | string)[]
): Promise<Hex> {
  const chain = createChainClient(stack.rpcUrl);
  const hash = await chain.writeContract({
    account,
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName,
    args: [await loadTerms(stack.databaseUrl, id), ...args] as never,
  });
  await chain.waitForTransactionReceipt({ hash });
  return hash;
}

/** Reads the contract's record of an order. */
export const orderOf = async (stack: RunningStack, id: string) =>
  createChainClient(stack.rpcUrl).readContract({
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName: "getOrder",
    args: [await loadTerms(stack.databaseUrl, id)],
  });

export const payerOf = ({ payer }: RunningStack): PrivateKeyAccount => privateKeyToAccount(payer.privateKey);

/** The account of the stack's first merchant. */
export function merchantOf({ merchants }: RunningStack): PrivateKeyAccount {
  const [merchant] = merchants;
  if (!merchant) throw new Error("The stack has no merchant.");
  return privateKeyToAccount(merchant.privateKey);
}

/** Sends a POST, by default without a body, to a path of an intent. */
export const post = <T>(client: Client, id: string, path: string, body?: object) =>
  client.send<T>("POST", `/payment-intents/${id}/${path}`, body === undefined ? {} : { body });
