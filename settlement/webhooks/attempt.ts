// One attempt at a delivery: signs, sends, and writes down what came of it.
import { and, eq, sql } from "drizzle-orm";
import { recordAudit } from "#core/audit/record-audit.ts";
import type { Transaction } from "#core/db/client.ts";
import { webhookAttempt, webhookDelivery, webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { openSecret } from "#core/events/secret-box.ts";
import { showEvent } from "#core/events/show-event.ts";
import { signatureHeaders } from "#core/events/signature.ts";
import { newId } from "#core/ids.ts";
import type { Context } from "../runtime/context.ts";
import { pauseAfter, retryAfterMs } from "./backoff.ts";
import type { Claimed } from "./claim.ts";
import { type Outcome, post } from "./post.ts";

const GONE = 410;

const inMs = (ms: number) => sql`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** The secrets that sign now: after a rotation both, until the overlap is over. */
function secretsOf({ endpoint }: Claimed, keys: Buffer[]): string[] {
  const { id, secret, previousSecret, previousSecretUntil } = endpoint;
  const both = previousSecret && previousSecretUntil && previousSecretUntil > new Date();
  return [secret, ...(both ? [previousSecret] : [])].map((sealed) => openSecret(keys, id, sealed));
}

async function disable(tx: Transaction, { endpoint }: Claimed): Promise<void> {
  await tx
    .update(webhookEndpoint)
    .set({ status: "disabled", disabledReason: "gone", updatedAt: sql`clock_timestamp()` })
    .where(eq(webhookEndpoint.id, endpoint.id));
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

/** Whether the endpoint took it, and when it is tried again if not. */
function next({ delivery }: Claimed, { statusCode, retryAfter }: Outcome, schedule: number[]) {
  const attempts = delivery.attempts + 1;
  if (statusCode !== null && statusCode >= 200 && statusCode < 300) {
    return { attempts, status: "succeeded", nextAttemptAt: null } as const;
  }
  const pause = statusCode === GONE ? undefined : pauseAfter(attempts, schedule);
  if (pause === undefined) return { attempts, status: "failed", nextAttemptAt: null } as const;
  const wait = Math.max(pause, retryAfterMs(retryAfter));
  return { attempts, status: "pending", nextAttemptAt: inMs(wait) } as const;
}

/** Writes down the outcome, unless the lease went to another, who will have an outcome of his own. */
async function record(context: Context, claimed: Claimed, outcome: Outcome): Promise<void> {
  const { database, config } = context;
  const { id, lease, endpointId } = claimed.delivery;
  if (lease === null) return;
  await database.transaction(async (tx) => {
    const mine = await tx
      .update(webhookDelivery)
      .set({ ...next(claimed, outcome, config.webhooks.retryMs), lease: null })
      .where(and(eq(webhookDelivery.id, id), eq(webhookDelivery.lease, lease)))
      .returning({ status: webhookDelivery.status });
    if (mine.length === 0) return;
    const { statusCode, error, response, durationMs } = outcome;
    await tx.insert(webhookAttempt).values({
      id: newId("attempt"),
      merchantId: claimed.delivery.merchantId,
      deliveryId: id,
      statusCode,
      error,
      response,
      durationMs,
    });
    if (statusCode === GONE) await disable(tx, claimed);
    const pause = retryAfterMs(outcome.retryAfter);
    // It speaks for the endpoint, not for the one event.
    if (mine[0]?.status === "pending" && pause > 0) {
      await tx
        .update(webhookEndpoint)
        .set({ pausedUntil: inMs(pause) })
        .where(eq(webhookEndpoint.id, endpointId));
    }
  });
}

async function giveBack({ database }: Context, { delivery }: Claimed): Promise<void> {
  const { id, lease } = delivery;
  if (lease === null) return;
  await database
    .update(webhookDelivery)
    .set({ nextAttemptAt: sql`clock_timestamp()`, lease: null })
    .where(and(eq(webhookDelivery.id, id), eq(webhookDelivery.lease, lease)));
}

/** @returns whether the endpoint answered well */
export async function attempt(context: Context, claimed: Claimed, signal: AbortSignal): Promise<boolean> {
  const { secretKeys, timeoutMs, allowPrivate, httpsOnly } = context.config.webhooks;
  const body = JSON.stringify(showEvent(claimed.event));
  const headers = {
    "content-type": "application/json",
    "user-agent": "delivery-versus-payment/1 (webhooks)",
    ...signatureHeaders(
      secretsOf(claimed, secretKeys),
      claimed.event.id,
      Math.floor(Date.now() / 1_000),
      body,
    ),
  };
  const { url } = claimed.endpoint;
  const outcome = await post({ url, headers, body, timeoutMs, allowPrivate, httpsOnly, signal });
  // Stopped half-way: nobody knows what came of it, so the next process sends it again.
  if (signal.aborted && outcome.statusCode === null) await giveBack(context, claimed);
  else await record(context, claimed, outcome);
  return outcome.statusCode !== null && outcome.statusCode < 300;
}
