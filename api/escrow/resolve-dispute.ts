// Resolves a dispute by the decision of the arbiter or with the signatures of both parties: POST
// …/escrow/dispute/resolve. The spec defines the outcomes MERCHANT_WON, BUYER_WON and PARTIAL_REFUND.
import type { Static } from "@sinclair/typebox";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { formatAmount, parseAmount } from "#core/money.ts";
import { signatureRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import { requirePayable } from "../payment-intents/amount.ts";
import { requireNotOrphaned } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { DisputeEnvelope, ResolveDisputeBody } from "./schemas.ts";

type Body = Static<typeof ResolveDisputeBody>;

function requireDisputed(view: IntentView): void {
  requireNotOrphaned(view);
  const status = view.order && ORDER_STATUSES[view.order.status];
  if (status !== "Disputed") throw invalidStatus("This escrow order has no open dispute.");
}

/** Returns the payee's share of the unreleased amount, in the smallest unit. */
function computePayeeAmount(
  { config }: Services,
  view: IntentView,
  { outcome, merchantAmount }: Body,
): bigint {
  const { currency } = view.intent;
  const rest = view.terms.amount - (view.order?.released ?? 0n) - (view.order?.refunded ?? 0n);
  if (outcome !== "PARTIAL_REFUND") {
    if (merchantAmount !== undefined) {
      throw invalidRequest("merchantAmount requires the outcome PARTIAL_REFUND.", "merchantAmount");
    }
    return outcome === "MERCHANT_WON" ? rest : 0n;
  }
  const amount = parseAmount(merchantAmount ?? "", currency);
  if (typeof amount === "string" || amount >= rest) {
    throw invalidRequest(
      `PARTIAL_REFUND requires a merchantAmount greater than zero and less than ${formatAmount(rest, currency)}.`,
      "merchantAmount",
    );
  }
  requirePayable(config, view.intent, amount, "merchantAmount");
  return amount;
}

function resolution(services: Services, view: IntentView, body: Body) {
  const { arbiter } = services;
  const payeeAmount = computePayeeAmount(services, view, body);
  const { payerSignature, merchantSignature, signatureDeadline } = body;
  if (payerSignature !== undefined && merchantSignature !== undefined) {
    if (signatureDeadline === undefined) {
      throw invalidRequest(
        "Missing signatureDeadline: send the deadline that both parties signed, in Unix seconds.",
        "signatureDeadline",
      );
    }
    return {
      functionName: "resolveDisputeByAgreement",
      args: [payeeAmount, BigInt(signatureDeadline), payerSignature, merchantSignature],
    };
  }
  if (payerSignature !== undefined || merchantSignature !== undefined) {
    throw invalidRequest(
      "An agreement requires both parties' signatures.",
      payerSignature === undefined ? "payerSignature" : "merchantSignature",
    );
  }
  // The gateway has an arbiter key only on a local chain, because a merchant's API key must never decide the
  // merchant's own dispute.
  if (!arbiter) {
    throw invalidRequest(
      "Both parties' signatures are required. Without them, only the arbiter can resolve the dispute, on chain.",
      "payerSignature",
    );
  }
  return { functionName: "resolveDispute", args: [payeeAmount], relayer: arbiter };
}

const agreementRefused = signatureRefused(
  "The signatures are not those of both parties over this order's DisputeAgreement (raisedBy, payeeAmount, deadline).",
  "payerSignature",
);

export async function resolveDispute(
  services: Services,
  call: Call,
  body: Body,
): Promise<Static<typeof DisputeEnvelope>> {
  const view = await findOwnEscrow(services, call);
  requireDisputed(view);
  return relayOperation(services, call, view, {
    purpose: "resolve_dispute",
    ...resolution(services, view, body),
    refused: agreementRefused,
    require: requireDisputed,
    answer: { object: "dispute", status: "resolved" },
  });
}
