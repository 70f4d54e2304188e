// Confirm a payment intent with the payer's signature (spec, operation 4), in any of the ways that the token allows.
// The checks come in this order: intent, owner, state, body, signature (design, "what confirm does").
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { getAddress, type Hex } from "viem";
import type { FundingMethod } from "#core/chain/funding-methods.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema.ts";
import type { Audience } from "#core/intent/show-intent.ts";
import { formatAmount } from "#core/money.ts";
import type { PreparedCall } from "#core/relayer/relayer.ts";
import { fundingRefused } from "../contract-errors.ts";
import { bodyOf } from "../http/body.ts";
import type { Call, PublicCall } from "../http/call.ts";
import type { Services } from "../services.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import { findIntent, findOwnIntent, lockIntent, requireUnfunded } from "./find.ts";
import { type FundingCall, fundingCallOf } from "./funding-call.ts";
import { ConfirmBody } from "./schemas.ts";

type Body = Static<typeof ConfirmBody>;

const readBody = bodyOf(ConfirmBody);

const requireConfirmable = (view: IntentView): void => requireUnfunded(view, "cannot be confirmed");

async function prepareFunding(
  { relayer, config }: Services,
  view: IntentView,
  call: FundingCall,
  method: FundingMethod,
): Promise<PreparedCall> {
  try {
    return await relayer.prepare("create_order", [view.intent.orderId], call);
  } catch (error) {
    const { amount, currency } = view.intent;
    const price = `${formatAmount(amount, currency)} ${currency}`;
    throw fundingRefused(error, price, { method, escrow: config.chain.contract }) ?? error;
  }
}

async function confirm(
  services: Services,
  call: PublicCall,
  view: IntentView,
  audience: Audience,
): Promise<Envelope> {
  requireConfirmable(view);
  const body: Body = await readBody(call);
  const payer = getAddress(body.payerAddress);
  const funding = await prepareFunding(
    services,
    view,
    await fundingCallOf(services, view, body, payer),
    body.fundingMethod ?? "ALLOWANCE",
  );

  const { database, relayer, config } = services;
  const { attempt, answer } = await database.transaction(async (tx) => {
    // Two confirmations at once: the second waits here, and then sees the first one's transaction.
    requireConfirmable(await lockIntent(services, tx, view));
    await tx
      .update(intent)
      .set({ signature: body.signature as Hex, signer: payer, signedAt: new Date(), updatedAt: new Date() })
      .where(eq(intent.id, view.intent.id));
    const stored = await relayer.store(tx, funding);
    const confirmed = await lockIntent(services, tx, view);
    return { attempt: stored, answer: await call.answer(tx, envelopeOf(confirmed, config, { audience })) };
  });
  await relayer.broadcast(attempt);
  return answer;
}

export const confirmIntent = async (services: Services, call: Call): Promise<Envelope> =>
  confirm(services, call, await findOwnIntent(services, call), "merchant");

/**
 * The payer's own confirmation, for the payment page, which has no key: POST …/public/:intentId/confirm. The signature is
 * all that a confirmation stands on; who brings it makes no difference.
 */
export const confirmPublicIntent = async (services: Services, call: PublicCall): Promise<Envelope> =>
  confirm(services, call, await findIntent(services, call), "public");
