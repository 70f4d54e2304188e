// Enters an operation into the audit log, in the transaction of its effect: every operation that changes something gives
// its answer through `call.answer`, and so comes by here.
import { sql } from "drizzle-orm";
import type { Caller } from "#core/api-keys.ts";
import type { Actor, AuditEntry } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { type IntentId, newId } from "#core/ids.ts";
import type { New, PublicCall } from "../http/call.ts";

const CREATE = "payment_intent.create";

/** What the log calls the operations, by method and path; null for what enters itself (core/keys). */
const ACTIONS: Record<string, string | null> = {
  "POST /payment-intents": CREATE,
  "POST /payment-intents/:intentId/confirm": "payment_intent.confirm",
  "POST /payment-intents/:intentId/cancel": "payment_intent.cancel",
  "POST /payment-intents/public/:intentId/confirm": "payment_intent.confirm",
  "POST /payment-intents/public/:intentId/payer": "payment_intent.attach_payer",
  "POST /payment-intents/public/:intentId/transaction-hash": "payment_intent.tell_transaction",
  "POST /payment-intents/:intentId/escrow/ship": "conditional_payment.ship",
  "POST /payment-intents/:intentId/escrow/release": "conditional_payment.release",
  "POST /payment-intents/:intentId/escrow/refund": "conditional_payment.refund",
  "POST /payment-intents/:intentId/escrow/delivery-proof": "delivery_proof.submit",
  "POST /payment-intents/:intentId/escrow/dispute": "dispute.raise",
  "POST /payment-intents/:intentId/escrow/dispute/resolve": "dispute.resolve",
  "POST /payment-intents/:intentId/escrow/milestones": "milestone.create",
  "POST /payment-intents/:intentId/escrow/milestones/:milestoneId/complete": "milestone.complete",
  "POST /payment-intents/:intentId/settlement/retry": "payout.retry",
  "POST /api-keys": null,
  "POST /api-keys/:keyId/rotate": null,
  "POST /api-keys/:keyId/revoke": null,
  "POST /webhook-endpoints": "webhook_endpoint.create",
  "POST /webhook-endpoints/:endpointId": "webhook_endpoint.update",
  "DELETE /webhook-endpoints/:endpointId": "webhook_endpoint.delete",
  "POST /webhook-endpoints/:endpointId/rotate-secret": "webhook_endpoint.rotate_secret",
  "POST /webhook-endpoints/:endpointId/test": "webhook_endpoint.test",
  "POST /webhook-endpoints/:endpointId/deliveries/:deliveryId/redeliver": "webhook_delivery.redeliver",
};

type Operation = {
  /** As the router knows it, such as `/v1/payment-intents/:intentId/cancel`. */
  route: string;
  caller?: Caller;
  requestId: string | null;
};

type Answer = { object?: unknown; id?: unknown; status?: unknown };

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Who pays needs no key: what he says of himself is all that is known. */
async function payerOf(call: PublicCall): Promise<string | null> {
  const { payerAddress } = JSON.parse(await call.text()) as { payerAddress?: unknown };
  return textOf(payerAddress);
}

export const actorOf = ({ isUser, keyId }: Caller): Actor => ({
  type: isUser ? "user" : "api_key",
  id: keyId,
});

/** The entry of an operation that makes a new intent: all that it says is at hand. */
export const entryOfNew = (
  { caller, requestId }: Operation & { caller: Caller },
  answer: New,
): AuditEntry => ({
  merchantId: caller.merchantId,
  mode: caller.mode,
  actor: actorOf(caller),
  action: CREATE,
  intentId: answer.id as IntentId,
  to: answer.status,
  requestId,
  metadata: answer.metadata ?? {},
});

export async function recordOperation(
  tx: Transaction,
  call: PublicCall,
  { route, caller, requestId }: Operation,
  answer: Answer,
): Promise<void> {
  const { params, request } = call;
  const name = `${request.method} ${route.replace(/^(\/api)?\/v1/, "")}`;
  const action = ACTIONS[name];
  if (action === null) return;
  const isIntent = answer.object === "payment_intent";
  const intentId = params.intentId ?? (isIntent ? textOf(answer.id) : null);
  const resourceId =
    params.deliveryId ?? params.milestoneId ?? params.endpointId ?? (isIntent ? null : textOf(answer.id));
  const actor = caller ? caller.keyId : await payerOf(call);
  const isNew = isIntent && params.intentId === undefined;
  await tx.execute(sql`
    insert into gateway.audit_log (id, merchant_id, mode, actor_type, actor, action, intent_id, resource_id,
      from_status, to_status, request_id, metadata)
    select ${newId("audit")}, coalesce(i.merchant_id, ${caller?.merchantId ?? null}::text),
      coalesce(i.mode, ${caller?.mode ?? null}::text), ${caller ? actorOf(caller).type : "payer"}, ${actor}::text,
      ${action ?? name}, ${intentId}::text, ${resourceId}::text,
      case when ${isIntent && !isNew} then i.last_emitted_status end, ${isIntent ? textOf(answer.status) : null}::text,
      ${requestId}::text, coalesce(i.metadata, '{}'::jsonb)
    from (select 1) one left join gateway.intent i on i.id = ${intentId}::text`);
}
