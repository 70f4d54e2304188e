// Confirms a payment intent with the payer's signature (spec, operation 4), with any funding method that the
// token supports. The checks run in this order: the body's shape, intent, owner, state, payer, signature
// (docs/decisions/0002-requests.md).
import type { Static } from "@sinclair/typebox";
import { and, eq, inArray } from "drizzle-orm";
import { getAddress, type Hex } from "viem";
import { intent } from "#core/db/schema/intents.ts";
import { transaction, transactionOrder } from "#core/db/schema/transactions.ts";
import { invalidRequest, invalidStateTransition } from "#core/errors.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Audience } from "#core/intent/show-intent.ts";
import { formatAmount } from "#core/money.ts";
import type { PreparedCall } from "#core/relayer/relayer.ts";
import { fundingRefused } from "../contract-errors.ts";
import type { Call, PublicCall } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import type { ConfirmBody } from "./bodies.ts";
import { requireBoundPayer } from "./bound-payer.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findIntent, findOwnIntent, lockIntent } from "./find.ts";
import { buildFundingCall, type FundingCall } from "./funding-call.ts";
import { requireUnfunded } from "./require-status.ts";

type Body = Static<typeof ConfirmBody>;

/**
 * Maximum gas of a call that funds an order. The most expensive funding method uses about 130,000 gas. The rest
 * allows a contract wallet to verify its signature. The amount is limited because the relayer pays for the gas,
 * and an untrusted contract could use all of it.
 */
const MOST_GAS = 650_000n;

/** Maximum number of failed relayer transactions per payment for callers without a key. */
const MOST_FAILED_FUNDINGS = 3;

const requireConfirmable = (view: IntentView): void => requireUnfunded(view, "cannot be confirmed");

async function prepareFunding(
  { relayer, config }: Services,
  view: IntentView,
  { method, ...call }: FundingCall,
): Promise<PreparedCall> {
  let prepared: PreparedCall;
  try {
    prepared = await relayer.prepare("create_order", [orderIdOfIntent(view.intent.id)], call);
  } catch (error) {
    const { amount, currency } = view.intent;
    const price = `${formatAmount(amount, currency)} ${currency}`;
    throw fundingRefused(error, price, { method, escrow: config.chain.contract }) ?? error;
  }
  if (prepared.gas > MOST_GAS) {
    throw invalidRequest(
      "The contract at payerAddress needs more gas to verify its signature than the gateway pays for. " +
        "Pay with its own transaction (createOrder).",
      "payerAddress",
    );
  }
  return prepared;
}

/** Limits the failed fundings, because each one costs the relayer gas, and a payer can make every one of them fail. */
async function requireFewFailures({ database }: Services, { intent }: IntentView): Promise<void> {
  const failed = await database.$count(
    transactionOrder,
    and(
      eq(transactionOrder.orderId, orderIdOfIntent(intent.id)),
      eq(transactionOrder.purpose, "create_order"),
      inArray(
        transactionOrder.transactionId,
        database.select({ id: transaction.id }).from(transaction).where(eq(transaction.succeeded, false)),
      ),
    ),
  );
  if (failed >= MOST_FAILED_FUNDINGS) {
    throw invalidStateTransition(
      `The gateway's transaction for this payment has failed ${failed} times. Pay with your own transaction (createOrder).`,
    );
  }
}

async function confirm(
  services: Services,
  call: PublicCall,
  view: IntentView,
  audience: Audience,
  body: Body,
): Promise<Envelope> {
  requireConfirmable(view);
  if (audience === "public") await requireFewFailures(services, view);
  const payer = getAddress(body.payerAddress);
  requireBoundPayer(view, payer);
  const fundingCall = await buildFundingCall(services, view, body, payer);
  const funding = await prepareFunding(services, view, fundingCall);

  const { database, relayer, config } = services;
  const { attempt, answer } = await database.transaction(async (tx) => {
    // If there are concurrent confirmations, the second one waits here and then finds the transaction of the first.
    requireConfirmable(await lockIntent(services, tx, view));
    await tx
      .update(intent)
      .set({
        signature: body.signature as Hex,
        fundingMethod: fundingCall.method,
        signer: payer,
        signedAt: new Date(),
        updatedAt: new Date(),
      })
      .where(eq(intent.id, view.intent.id));
    const stored = await relayer.store(tx, funding);
    const confirmed = await lockIntent(services, tx, view);
    return { attempt: stored, answer: await call.answer(tx, buildEnvelope(confirmed, config, { audience })) };
  });
  await relayer.broadcast(attempt);
  return answer;
}

export const confirmIntent = async (services: Services, call: Call, body: Body): Promise<Envelope> =>
  confirm(services, call, await findOwnIntent(services, call), "merchant", body);

/**
 * Confirms without a key, as the payment page does: POST …/public/:intentId/confirm. No key is required, because
 * a confirmation only depends on the signature.
 */
export const confirmPublicIntent = async (
  services: Services,
  call: PublicCall,
  body: Body,
): Promise<Envelope> => confirm(services, call, await findIntent(services, call), "public", body);
