// Reports the hash of the payer's own transaction (spec, operation 5; docs/decisions/0008-late-funding.md). The
// route is public, so a report is not trusted. It only counts if the chain confirms that the transaction funds
// this order.
import type { Static } from "@sinclair/typebox";
import { eq, or, sql } from "drizzle-orm";
import {
  type Address,
  decodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  parseEventLogs,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from "viem";
import { deliveryVsPaymentAbi } from "#core/chain/abi/delivery-vs-payment.ts";
import { askChain } from "#core/chain/client.ts";
import { orderIdOf, type Terms } from "#core/chain/terms.ts";
import type { Transaction } from "#core/db/client.ts";
import { reportedTransaction } from "#core/db/schema/transactions.ts";
import { invalidRequest, invalidStateTransition } from "#core/errors.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { PublicCall } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import type { TransactionHashBody } from "./bodies.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findIntent, lockIntent } from "./find.ts";
import { requireNotOrphaned } from "./require-status.ts";

async function orUndefined<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await askChain(question);
  } catch (error) {
    if (error instanceof TransactionNotFoundError || error instanceof TransactionReceiptNotFoundError)
      return undefined;
    throw error;
  }
}

/** Returns the id of the order that a contract call would fund. */
function fundedByCall({ config }: Services, to: Address | null, input: Hex): Hex | undefined {
  const { contract, id } = config.chain;
  if (!to || !isAddressEqual(to, contract)) return undefined;
  try {
    const { functionName, args } = decodeFunctionData({ abi: deliveryVsPaymentAbi, data: input });
    if (!functionName.startsWith("createOrder")) return undefined;
    return orderIdOf(id, contract, args?.[0] as Terms);
  } catch {
    // The calldata is not a call of the escrow contract.
    return undefined;
  }
}

const fundedByReceipt = ({ config }: Services, receipt: TransactionReceipt, orderId: Hex): boolean =>
  parseEventLogs({ abi: deliveryVsPaymentAbi, eventName: "OrderCreated", logs: receipt.logs }).some(
    (log) => isAddressEqual(log.address, config.chain.contract) && log.args.orderId === orderId,
  );

type Known = { payer: Address; mined: boolean; failed: boolean };

/** Looks up the transaction on the chain. Returns undefined if the chain does not know it. */
async function lookUp(services: Services, { intent }: IntentView, hash: Hex): Promise<Known | undefined> {
  const { client } = services;
  const found = await orUndefined(() => client.getTransaction({ hash }));
  if (!found) return undefined;
  const receipt = await orUndefined(() => client.getTransactionReceipt({ hash }));
  const called = fundedByCall(services, found.to, found.input) === orderIdOfIntent(intent.id);
  // A contract wallet calls the escrow contract internally, so the logs of the receipt decide.
  const funded = receipt !== undefined && fundedByReceipt(services, receipt, orderIdOfIntent(intent.id));
  if (!called && !funded) {
    throw invalidRequest("This transaction does not fund this payment intent.", "transactionHash");
  }
  return {
    payer: getAddress(found.from),
    mined: receipt !== undefined,
    failed: receipt?.status === "reverted",
  };
}

/**
 * Anyone can report a hash, so a report must not replace a better one. A failed transaction only counts if the
 * payer sent it.
 */
async function storeReport(tx: Transaction, { intent }: IntentView, hash: Hex, known: Known): Promise<void> {
  const { mined, ...report } = known;
  const byPayer = intent.payer !== null && isAddressEqual(intent.payer, known.payer);
  if (known.failed && !byPayer) return;
  const noLongerGood = eq(reportedTransaction.failed, true);
  const aStrangers = sql`${reportedTransaction.payer} is distinct from ${intent.payer}`;
  const replaceable = known.failed ? noLongerGood : byPayer ? undefined : or(noLongerGood, aStrangers);
  // Reports of unmined transactions only count for a limited time after the first report. Otherwise, each report
  // would delay the payment again.
  const createdAt = mined
    ? sql`clock_timestamp()`
    : sql`case when ${reportedTransaction.failed} then clock_timestamp() else ${reportedTransaction.createdAt} end`;
  await tx
    .insert(reportedTransaction)
    .values({ merchantId: intent.merchantId, intentId: intent.id, hash, ...report })
    .onConflictDoUpdate({
      target: [reportedTransaction.intentId, reportedTransaction.merchantId],
      set: { hash, ...report, createdAt },
      ...(replaceable ? { setWhere: replaceable } : {}),
    });
}

export async function reportTransactionHash(
  services: Services,
  call: PublicCall,
  body: Static<typeof TransactionHashBody>,
): Promise<Envelope> {
  const view = await findIntent(services, call);
  requireNotOrphaned(view);
  if (view.status === "CANCELED") {
    throw invalidStateTransition("A canceled payment intent cannot be paid.");
  }
  const { transactionHash: hash } = body;
  const known = view.order ? undefined : await lookUp(services, view, hash);
  return services.database.transaction(async (tx) => {
    if (known) await storeReport(tx, view, hash, known);
    const shown = await lockIntent(services, tx, view);
    return call.answer(tx, buildEnvelope(shown, services.config, { audience: "public" }));
  });
}
