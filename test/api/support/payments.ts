// The steps of a payment as a client of the API takes them.
import { type Address, createTestClient, type Hex, http, publicActions, walletActions } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { hardhatChain } from "#scripts/devnet/hardhat-chain.ts";
import { until } from "#scripts/shared/wait.ts";
import type { Body } from "#sdk/index.ts";
import type { Answer, Client, Intent, Proof } from "./client.ts";

/** Longer than any step takes on a busy machine. */
const TIMEOUT_MS = 30_000;

export const GOOD = {
  amount: "100.00",
  currency: "USDC",
  type: "DELIVERY_VS_PAYMENT",
  settlementMethod: "OFF_RAMP_MOCK",
  settlementDestination: "bank_account_123",
} as const;

export const HASH_A = `0x${"aa".repeat(32)}` as const;
export const HASH_B = `0x${"bb".repeat(32)}` as const;

/** Creates a wallet without funds. In test mode, a signature is enough to pay. */
export const newPayer = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

export async function create(
  { api }: Client,
  changes: Partial<Body<"createPaymentIntent">> = {},
): Promise<Intent> {
  return (await api.paymentIntents.create({ ...GOOD, ...changes })) as Intent;
}

export async function retrieve({ api }: Client, intentId: string): Promise<Intent> {
  return (await api.paymentIntents.retrieve(intentId)) as Intent;
}

/** Signs the displayed typed data and confirms the intent. */
export async function confirm(client: Client, intent: Intent, payer = newPayer()): Promise<Intent> {
  const signature = await payer.signTypedData(intent.data.typedData);
  const body = { signature, payerAddress: payer.address };
  return (await client.api.paymentIntents.confirm(intent.id, body)) as Intent;
}

export async function untilStatus(client: Client, id: string, ...statuses: string[]): Promise<Intent> {
  return until(
    async () => {
      const intent = await retrieve(client, id);
      return statuses.includes(intent.status) ? intent : null;
    },
    { what: `${id} being ${statuses.join(" or ")}`, timeoutMs: TIMEOUT_MS },
  );
}

/** Creates an intent and funds it. Its money is in escrow with five confirmations. */
export async function fund(
  client: Client,
  changes: Partial<Body<"createPaymentIntent">> = {},
  payer = newPayer(),
): Promise<Intent> {
  const intent = await create(client, changes);
  await confirm(client, intent, payer);
  return untilStatus(client, intent.id, "SUCCEEDED");
}

/** Submits a delivery proof as the merchant. */
export const prove = <T = Proof>(client: Client, id: string, changes: object = {}): Promise<Answer<T>> =>
  client.post<T>(`/payment-intents/${id}/escrow/delivery-proof`, {
    proofHash: HASH_A,
    submittedBy: newPayer().address,
    ...changes,
  });

/** Creates a client of the local node with viem's test, public and wallet actions. */
export const createChainClient = (rpcUrl: string) =>
  createTestClient({ mode: "hardhat", chain: hardhatChain, transport: http(rpcUrl), pollingInterval: 20 })
    .extend(publicActions)
    .extend(walletActions);

export type LocalChain = ReturnType<typeof createChainClient>;

/** Sets the interval for mining in milliseconds, because viem only supports seconds. Zero stops interval mining. */
export async function mineEvery(chain: LocalChain, ms: number): Promise<void> {
  await chain.request({ method: "evm_setIntervalMining", params: [ms] as never });
}

/** Returns how often the contract has emitted this event for an order. */
export async function countEvents(
  chain: LocalChain,
  contract: Address,
  eventName: "OrderCreated" | "DeliveryProofSubmitted" | "OrderSettled",
  intentId: string,
): Promise<number> {
  const events = await chain.getContractEvents({
    abi: deliveryVsPaymentAbi,
    address: contract,
    eventName,
    args: { orderId: intentId.replace("intent_", "0x") as Hex },
    fromBlock: 0n,
  });
  return events.length;
}
