// Makes one attempt at a delivery: signs the webhook, sends it, and stores the outcome.
import { and, eq, sql } from "drizzle-orm";
import { recordAudit } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { showEvent } from "#core/events/show-event.ts";
import { openSecret } from "#core/webhooks/secret-box.ts";
import { signatureHeaders } from "#core/webhooks/signature.ts";
import type { Context } from "../runtime/context.ts";
import { pauseAfter, retryAfterMs } from "./backoff.ts";
import type { Claimed } from "./claim.ts";
import { type Outcome, post } from "./post.ts";
import type { Attempt, Recorded } from "./record-attempts.ts";

const GONE = 410;

/** Returns the current signing secrets. After a rotation, both secrets are valid until the overlap ends. */
function openSecrets({ endpoint }: Claimed, keys: Buffer[]): string[] {
  const { id, secret, previousSecret, previousSecretUntil } = endpoint;
  const both = previousSecret && previousSecretUntil && previousSecretUntil > new Date();
  return [secret, ...(both ? [previousSecret] : [])].map((sealed) => openSecret(keys, id, sealed));
}

/** Disables the endpoint, unless the merchant has already disabled it. */
async function disable(tx: Transaction, { endpoint }: Claimed): Promise<void> {
  const disabled = await tx
    .update(webhookEndpoint)
    .set({ status: "disabled", disabledReason: "gone", updatedAt: sql`clock_timestamp()` })
    .where(and(eq(webhookEndpoint.id, endpoint.id), eq(webhookEndpoint.status, "enabled")))
    .returning({ id: webhookEndpoint.id });
  if (disabled.length === 0) return;
  await recordAudit(tx, [
    {
      merchantId: endpoint.merchantId,
      mode: endpoint.mode,
      actor: { type: "system", id: null },
      action: "webhook_endpoint.disabled",
      resourceId: endpoint.id,
      from: "enabled",
      to: "disabled",
    },
  ]);
}

/** Determines whether the endpoint accepted the delivery, and otherwise when it is retried. */
function next({ delivery }: Claimed, { statusCode, retryAfter }: Outcome, schedule: number[]) {
  const attempts = delivery.attempts + 1;
  const pauseMs = retryAfterMs(retryAfter);
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    return { attempts, status: "succeeded", nextInMs: null, pauseMs } as const;
  }
  const pause = statusCode === GONE ? undefined : pauseAfter(attempts, schedule);
  if (pause === undefined) return { attempts, status: "failed", nextInMs: null, pauseMs } as const;
  return { attempts, status: "pending", nextInMs: Math.max(pause, pauseMs), pauseMs } as const;
}

async function giveBack({ database }: Context, { delivery }: Claimed): Promise<void> {
  const { id, lease } = delivery;
  if (lease === null) return;
  await database
    .update(webhookDelivery)
    .set({ lease: null, leasedUntil: null })
    .where(and(eq(webhookDelivery.id, id), eq(webhookDelivery.lease, lease)));
}

/** @returns whether the endpoint responded with success, and whether other deliveries of the endpoint are due */
export async function attempt(
  context: Context,
  claimed: Claimed,
  record: (attempt: Attempt) => Promise<Recorded>,
  signal: AbortSignal,
): Promise<{ succeeded: boolean; othersDue: boolean }> {
  const { secretKeys, timeoutMs, allowPrivate, httpsOnly, retryMs } = context.config.webhooks;
  const body = JSON.stringify(showEvent(claimed, context.config));
  const headers = {
    "content-type": "application/json",
    "user-agent": "delivery-versus-payment/1 (webhooks)",
    ...signatureHeaders(
      openSecrets(claimed, secretKeys),
      claimed.event.id,
      Math.floor(Date.now() / 1_000),
      body,
    ),
  };
  const { url } = claimed.endpoint;
  const outcome = await post({ url, headers, body, timeoutMs, allowPrivate, httpsOnly, signal });
  // The attempt was aborted and its outcome is unknown, so another process sends the webhook again.
  if (signal.aborted && outcome.statusCode === null) {
    await giveBack(context, claimed);
    return { succeeded: false, othersDue: true };
  }
  const { delivery } = claimed;
  const { isOurs, othersDue } = await record({ delivery, outcome, ...next(claimed, outcome, retryMs) });
  if (isOurs && outcome.statusCode === GONE) await context.database.transaction((tx) => disable(tx, claimed));
  return { succeeded: outcome.statusCode !== null && outcome.statusCode < 300, othersDue };
}
