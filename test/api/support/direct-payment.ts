// A payer who calls the contract directly, with the terms of the intent's order.
import { eq } from "drizzle-orm";
import { encodeFunctionData, type Hex, keccak256, type TransactionSerializableEIP1559 } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { restoreTerms, type Terms } from "#core/chain/terms.ts";
import { connect } from "#core/db/client.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { IntentId } from "#core/ids.ts";
import { fund } from "#scripts/devnet/deploy.ts";
import type { RunningStack } from "../../support/shared-stack.ts";
import { chainOf } from "./payments.ts";

export async function termsOf(databaseUrl: string, id: string): Promise<Terms> {
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

/** Sends createOrder from the stack's payer; the payer's test tokens are pulled by the escrow. */
export async function payDirectly(stack: RunningStack, terms: Terms): Promise<Hex> {
  const account = privateKeyToAccount(stack.payer.privateKey);
  return chainOf(stack.rpcUrl).writeContract({ account, ...createOrder(stack, terms) });
}

/** Sends createOrder with so little gas that it is mined and reverts. */
export async function payInVain(stack: RunningStack, terms: Terms): Promise<Hex> {
  const account = privateKeyToAccount(stack.payer.privateKey);
  const chain = chainOf(stack.rpcUrl);
  const { address, abi, functionName, args } = createOrder(stack, terms);
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
  // The node reports that it failed, but mines it anyway.
  await chain.sendRawTransaction({ serializedTransaction: raw }).catch(() => undefined);
  const { status } = await chain.waitForTransactionReceipt({ hash });
  if (status !== "reverted") throw new Error("The transaction was to fail.");
  return hash;
}

/**
 * Sends createOrder as a stranger's second transaction before the first, so that the node keeps it but never mines it.
 */
export async function payNever(stack: RunningStack, terms: Terms): Promise<Hex> {
  const account = privateKeyToAccount(generatePrivateKey());
  await fund(stack.rpcUrl, [account.address]);
  const chain = chainOf(stack.rpcUrl);
  const { address, abi, functionName, args } = createOrder(stack, terms);
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
  // An automining node rejects transactions that it cannot mine, so it mines once a second meanwhile.
  await chain.setAutomine(false);
  try {
    return await chain.sendRawTransaction({ serializedTransaction: raw });
  } finally {
    await chain.setAutomine(true);
  }
}

const createOrder = (stack: RunningStack, terms: Terms) =>
  ({
    address: stack.contractAddress,
    abi: deliveryVsPaymentAbi,
    functionName: "createOrder",
    args: [terms],
  }) as const;
