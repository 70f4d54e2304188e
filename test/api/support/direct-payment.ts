// Helpers that call createOrder directly with the terms of an intent's order.
import { eq } from "drizzle-orm";
import { encodeFunctionData, type Hex, keccak256, type TransactionSerializableEIP1559 } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { restoreTerms, type Terms } from "#core/chain/terms.ts";
import { connect } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { IntentId } from "#core/ids.ts";
import { setGasBalances } from "#scripts/devnet/deploy.ts";
import type { RunningStack } from "../../support/shared-stack.ts";
import { createChainClient } from "./payments.ts";

export async function loadTerms(databaseUrl: string, id: string): Promise<Terms> {
  const database = connect(databaseUrl, { max: 1, application: "test" });
  try {
    const [row] = await database
      .select({ terms: intent.terms })
      .from(intent)
      .where(eq(intent.id, id as IntentId));
    if (!row) throw new Error(`There is no intent ${id}.`);
    return restoreTerms(row.terms);
  } finally {
    await database.$client.end();
  }
}

/** Sends createOrder from the stack's payer. The escrow transfers the payer's test tokens. */
export async function payDirectly(stack: RunningStack, terms: Terms): Promise<Hex> {
  const account = privateKeyToAccount(stack.payer.privateKey);
  return createChainClient(stack.rpcUrl).writeContract({ account, ...buildCreateOrderCall(stack, terms) });
}

/** Sends createOrder with so little gas that the transaction is mined but reverts. */
export async function sendRevertingPayment(stack: RunningStack, terms: Terms): Promise<Hex> {
  const account = privateKeyToAccount(stack.payer.privateKey);
  const chain = createChainClient(stack.rpcUrl);
  const { address, abi, functionName, args } = buildCreateOrderCall(stack, terms);
  const request = await chain.prepareTransactionRequest({
    account,
    to: address,
    data: encodeFunctionData({ abi, functionName, args }),
    gas: 60_000n,
    type: "eip1559",
  });
  const raw = await account.signTransaction({
    ...request,
    chainId: stack.chainId,
  } as TransactionSerializableEIP1559);
  const hash = keccak256(raw);
  // Hardhat returns an error but mines the transaction anyway; anvil-node returns no error for the revert.
  await chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
  const { status } = await chain.waitForTransactionReceipt({ hash });
  if (status !== "reverted") throw new Error("Expected the transaction to revert, but it succeeded.");
  return hash;
}

/**
 * Sends createOrder from a new account with nonce 1 while nonce 0 is unused. The node keeps the transaction but never
 * mines it.
 */
export async function sendPaymentWithNonceGap(stack: RunningStack, terms: Terms): Promise<Hex> {
  const account = privateKeyToAccount(generatePrivateKey());
  await setGasBalances(stack.rpcUrl, [account.address]);
  const chain = createChainClient(stack.rpcUrl);
  const { address, abi, functionName, args } = buildCreateOrderCall(stack, terms);
  const raw = await account.signTransaction({
    type: "eip1559",
    chainId: stack.chainId,
    nonce: 1,
    to: address,
    data: encodeFunctionData({ abi, functionName, args }),
    gas: 500_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
  });
  // With automining enabled, Hardhat rejects a nonce gap. Interval mining stays enabled.
  await chain.setAutomine(false);
  try {
    return await chain.sendRawTransaction({ serializedTransaction: raw });
  } finally {
    await chain.setAutomine(true);
  }
}

const buildCreateOrderCall = (stack: RunningStack, terms: Terms) =>
  ({
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName: "createOrder",
    args: [terms],
  }) as const;
