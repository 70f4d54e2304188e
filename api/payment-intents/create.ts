// Creates a payment intent (spec, operation 1). No transaction is sent, because the hash of the terms already
// identifies the order.
import { randomBytes } from "node:crypto";
import type { Static } from "@sinclair/typebox";
import { type Address, getAddress, type Hex, isAddressEqual, toHex, zeroAddress } from "viem";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { orderIdOf, storeTerms, type Terms } from "#core/chain/terms.ts";
import { requireToken } from "#core/config/token-config.ts";
import { returned } from "#core/db/returned.ts";
import { intent } from "#core/db/schema/intents.ts";
import { invalidRequest } from "#core/errors.ts";
import { toIntentId } from "#core/ids.ts";
import { type IntentRow, viewOfNew } from "#core/intent/read-intent.ts";
import { computeQuote, showQuote } from "#core/off-ramp/quotes-and-limits.ts";
import { describedTerms } from "#core/search/derive-search-terms.ts";
import { insertSearchTerms } from "#core/search/write-search-terms.ts";
import type { Call } from "../http/request-context.ts";
import type { NewIntent } from "../insert-intents.ts";
import type { Services } from "../services.ts";
import { parseRequestAmount, requirePayable } from "./amount.ts";
import type { CreateIntentBody } from "./bodies.ts";
import { requireDestination, requireMethod } from "./destination.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { fundingDeadline, readReleaseTerms } from "./release-terms.ts";
import { requireReturnUrls } from "./return-urls.ts";

type Body = Static<typeof CreateIntentBody>;

type Decided = { amount: bigint; offRamp: Address; now: number };

function buildTerms(
  { config }: Services,
  { account }: Caller,
  body: Body,
  { amount, offRamp, now }: Decided,
): Terms {
  const release = readReleaseTerms(body, config, now);
  return {
    salt: toHex(randomBytes(32)) as Hex,
    operator: config.operator,
    arbiter: config.arbiter,
    payee: account,
    payer: getAddress(body.payerAddress ?? zeroAddress),
    offRamp,
    token: requireToken(config.chain.tokens, body.currency),
    amount,
    fundingDeadline: fundingDeadline(body.expiresIn ?? config.fundingPeriod, release, now),
    disputeWindow: config.minDisputeWindow,
    ...release,
  };
}

/** The contract does not fund an order whose payer is its arbiter, and nobody controls the zero address. */
function requirePayer({ config }: Services, { account }: Caller, { payerAddress }: Body): void {
  if (payerAddress === undefined) return;
  if (payerAddress === zeroAddress || isAddressEqual(payerAddress, config.arbiter)) {
    throw invalidRequest("Invalid payerAddress: this account cannot pay.", "payerAddress");
  }
  if (isAddressEqual(payerAddress, account)) {
    throw invalidRequest("Invalid payerAddress: it is the merchant's own account.", "payerAddress");
  }
}

export async function createIntent(services: Services, call: Call, body: Body): Promise<Envelope> {
  const { config, database, deployment, listedTokens } = services;
  await listedTokens.requireListed(body.currency);
  const amount = parseRequestAmount(body.amount, body.currency);
  requireMethod(config, body.settlementMethod);
  requirePayable(config, body, amount);
  requireDestination(config, body.settlementMethod, body.settlementDestination);
  const payment = { method: body.settlementMethod, amount, currency: body.currency };
  const offRamp = await services.chooseWallet(payment);
  const quote = computeQuote(config, payment);
  requirePayer(services, call.caller, body);
  await requireReturnUrls(services, call.caller, body);
  const terms = buildTerms(services, call.caller, body, {
    ...{ amount, offRamp },
    now: await services.paymentTime(),
  });
  const id = toIntentId(orderIdOf(config.chain.id, config.chain.contract, terms));
  const values: NewIntent = {
    id,
    deploymentId: deployment.id,
    merchantId: call.caller.merchantId,
    mode: call.caller.mode,
    type: body.type,
    amount,
    currency: body.currency,
    description: body.description ?? null,
    settlementMethod: body.settlementMethod,
    settlementDestination: body.settlementDestination,
    ...showQuote(quote, body.currency),
    terms: storeTerms(terms),
    metadata: body.metadata ?? {},
    returnUrl: body.returnUrl ?? null,
    cancelUrl: body.cancelUrl ?? null,
  };
  const buildAnswer = (row: IntentRow): Envelope => ({
    ...buildEnvelope(viewOfNew(row, config), config),
    metadata: body.metadata ?? {},
  });
  const entry = call.buildCreationEntry({ id, status: "INITIATED", metadata: values.metadata });
  if (entry) {
    return buildAnswer(await services.insertIntent({ values, entry }));
  }
  return database.transaction(async (tx) => {
    const row = returned(await tx.insert(intent).values(values).returning());
    await tx.execute(insertSearchTerms([{ id, terms: describedTerms(values) }]));
    return call.answer(tx, buildAnswer(row));
  });
}
