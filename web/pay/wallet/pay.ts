// Pays with the payer's shortest payment method: signatures if the gateway can pull the money, otherwise an approval
// and the payer's own transaction. Before the first wallet request, the contract on the wallet's chain must confirm
// that these terms have this id.
import { erc20Abi, type Hex, stringify, type TypedDataDefinition } from "viem";
import {
  getChainId,
  readContract,
  signTypedData,
  simulateContract,
  waitForTransactionReceipt,
  writeContract,
} from "viem/actions";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import type { FundingOffer } from "#core/chain/funding-methods.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import { Refusal } from "../../ui/api-errors.ts";
import { callGateway } from "../payment/call-gateway.ts";
import type { Verified } from "../payment/verify.ts";
import { forget, type Kept, keep } from "./kept.ts";
import {
  bareSignature,
  findShortestPaymentMethod,
  type PaymentMethod,
  type Wallet,
} from "./payment-methods.ts";
import { PaymentProblem } from "./problem.ts";

/** The step that is in progress, at the gateway, the chain or the wallet. */
export type Step =
  | "checking"
  | "approve"
  | "approving"
  | "permit"
  | "permit.any"
  | "sign"
  | "handing-in"
  | "send"
  | "mining";

type PaymentMethodChoice = {
  wallet: Wallet;
  verified: Verified;
  testMode: boolean;
  offers: FundingOffer[];
  /** Whether the payer prefers to send the transaction, although a signature would be enough. */
  byTransaction: boolean;
};

type Payment = PaymentMethodChoice & {
  /** The method that was shown to the payer; undefined if none could be shown. */
  shown: PaymentMethod | undefined;
  /** Aborted when the payer stops waiting for the wallet. No signature is submitted after that. */
  signal: AbortSignal;
  onStep(step: Step): void;
  /** Shows the current wallet request before it is sent. */
  onPaymentMethod(paymentMethod: PaymentMethod): void;
};

const POLL_MS = 1_000;

/** @throws PaymentProblem if the wallet's chain or contract is not the one that the id commits to */
export async function requireCommitted(
  wallet: Wallet,
  { id, chainId, contract, terms }: Verified,
): Promise<void> {
  if ((await getChainId(wallet)) !== chainId) throw new PaymentProblem({ kind: "wrongNetwork" });
  const onChain = await readContract(wallet, {
    address: contract,
    abi: deliveryVsPaymentAbi,
    functionName: "orderIdOf",
    args: [terms],
  });
  if (onChain !== orderIdOfIntent(id)) throw new PaymentProblem({ kind: "tampered" });
}

/** The payer's balance and the escrow's allowance, in the token's smallest unit. */
async function loadFunds({ wallet, verified: { contract, terms } }: Payment) {
  const token = { address: terms.token, abi: erc20Abi } as const;
  const owner = wallet.account.address;
  const [balance, allowance] = await Promise.all([
    readContract(wallet, { ...token, functionName: "balanceOf", args: [owner] }),
    readContract(wallet, { ...token, functionName: "allowance", args: [owner, contract] }),
  ]);
  return { balance, allowance };
}

const isAnswer = (error: unknown): boolean => error instanceof Refusal && !error.tooOften;

/** Deletes a stored request once it has a response of any kind. A request without a response stays stored. */
async function once({ id }: Verified, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isAnswer(error)) forget(id);
    throw error;
  }
  forget(id);
}

export async function handIn(verified: Verified, kept: Extract<Kept, { what: "signature" }>): Promise<void> {
  const { what: _, payer, key, ...signed } = kept;
  const body = { ...signed, payerAddress: payer };
  await once(verified, () =>
    // A retry with the same key returns the same response and has no second effect.
    callGateway((operations) => operations.confirm(verified.id, body, { idempotencyKey: key })),
  );
}

export async function reportTransaction(
  verified: Verified,
  { hash }: Extract<Kept, { what: "transaction" }>,
): Promise<void> {
  const body = { transactionHash: hash };
  await once(verified, () =>
    callGateway((operations) => operations.reportTransactionHash(verified.id, body)),
  );
}

type Signing = Extract<PaymentMethod, { by: "signature" }>;

async function payBySignature(
  { wallet, verified, signal, onStep }: Payment,
  paymentMethod: Signing,
): Promise<void> {
  const payer = wallet.account.address;
  const sign = async (typedData: TypedDataDefinition): Promise<Hex> => {
    const signature = await signTypedData(wallet, { ...typedData, account: wallet.account });
    signal.throwIfAborted();
    return signature;
  };
  await callGateway((operations) => operations.attachPayer(verified.id, { payerAddress: payer }));
  let permitSignature: Hex | undefined;
  if (paymentMethod.permit) {
    onStep(paymentMethod.method === "DAI_PERMIT" ? "permit.any" : "permit");
    permitSignature = await sign(paymentMethod.permit);
  }
  onStep("sign");
  const kept = {
    what: "signature",
    signature: await sign(paymentMethod.payment),
    fundingMethod: paymentMethod.method,
    ...(permitSignature === undefined ? {} : { permitSignature }),
    payer,
    key: crypto.randomUUID(),
  } as const;
  onStep("handing-in");
  keep(verified.id, kept);
  await handIn(verified, kept);
}

/** @throws PaymentProblem if the transaction is mined and reverts */
export async function untilMined(wallet: Wallet, hash: Hex): Promise<void> {
  const { status } = await waitForTransactionReceipt(wallet, { hash, pollingInterval: POLL_MS });
  if (status === "reverted") throw new PaymentProblem({ kind: "reverted", hash });
}

async function approve(payment: Payment, allowance: bigint): Promise<void> {
  const { wallet, verified, onStep } = payment;
  const { contract, terms } = verified;
  // USDT accepts a new allowance only if the current allowance is zero.
  for (const amount of allowance > 0n ? [0n, terms.amount] : [terms.amount]) {
    onStep("approve");
    const hash = await writeContract(wallet, {
      address: terms.token,
      abi: erc20Abi,
      functionName: "approve",
      args: [contract, amount],
    });
    payment.signal.throwIfAborted();
    onStep("approving");
    await untilMined(wallet, hash);
  }
  // A wallet may let its owner approve less than requested.
  if ((await loadFunds(payment)).allowance < terms.amount) throw new PaymentProblem({ kind: "allowance" });
}

async function payByTransaction({ wallet, verified, onStep }: Payment): Promise<void> {
  const { request } = await simulateContract(wallet, {
    address: verified.contract,
    abi: deliveryVsPaymentAbi,
    functionName: "createOrder",
    args: [verified.terms],
    account: wallet.account,
  });
  onStep("send");
  const hash = await writeContract(wallet, request);
  onStep("mining");
  const kept = { what: "transaction", hash } as const;
  keep(verified.id, kept);
  // The report does not affect the outcome. The money is in transit either way, and only the chain decides.
  const [reporting, mining] = await Promise.allSettled([
    reportTransaction(verified, kept),
    untilMined(wallet, hash),
  ]);
  if (mining.status === "rejected") {
    // The transaction reverted, so there is nothing left to report.
    if (mining.reason instanceof PaymentProblem) forget(verified.id);
    throw mining.reason;
  }
  // The payment is complete after any response of the gateway. Without a response, the report may have to be repeated.
  if (reporting.status === "rejected" && !isAnswer(reporting.reason)) throw reporting.reason;
}

/** Returns the shortest payment method now. @throws viem's errors if the wallet's chain is unreachable */
export async function choosePaymentMethod({
  wallet,
  verified,
  testMode,
  offers,
  byTransaction,
}: PaymentMethodChoice): Promise<PaymentMethod> {
  if (byTransaction) return { by: "transaction" };
  // The escrow mints test tokens as it pulls them.
  if (testMode) return bareSignature(verified, wallet.account.address);
  return findShortestPaymentMethod(wallet, verified, offers);
}

/**
 * Resolves when the gateway knows about the payment. If no method was `shown`, resolves once the method has been shown.
 * @throws see problem.ts
 */
export async function pay(payment: Payment): Promise<void> {
  const { wallet, verified, testMode, shown, onStep, onPaymentMethod } = payment;
  onStep("checking");
  await requireCommitted(wallet, verified);
  const paymentMethod = await choosePaymentMethod(payment);
  onPaymentMethod(paymentMethod);
  // The wallet receives only requests that were shown to the payer.
  if (shown === undefined) return;
  if (stringify(paymentMethod) !== stringify(shown)) throw new PaymentProblem({ kind: "changed" });
  if (testMode)
    return paymentMethod.by === "signature"
      ? payBySignature(payment, paymentMethod)
      : payByTransaction(payment);
  const { balance, allowance } = await loadFunds(payment);
  const { amount } = verified.terms;
  if (balance < amount) throw new PaymentProblem({ kind: "balance", has: balance, needs: amount });
  if (paymentMethod.by === "signature") return payBySignature(payment, paymentMethod);
  if (allowance < amount) await approve(payment, allowance);
  return payByTransaction(payment);
}
