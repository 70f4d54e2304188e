// Receives a provider's webhooks. A webhook only makes a payout due now: the transfer's outcome comes from the
// provider's API, so repeated, reordered and late webhooks have no effect.
import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueAt, dueNow } from "#core/payouts/due-now.ts";
import { listOffRamps } from "./accounts.ts";
import { type OffRamp, type OffRamps, WebhookRefused } from "./off-ramp.ts";

/** The path to which the provider sends webhooks, on the settlement role's webhook port. */
export const WEBHOOK_PATH = "/webhooks/off-ramp";

/** A payout that is due sooner than this needs no webhook. */
const SOON = sql`clock_timestamp() + interval '100 milliseconds'`;

/** @throws WebhookRefused; Error if the provider should retry */
export type WebhookReceiver = (headers: Headers, body: Uint8Array) => Promise<void>;

/**
 * Finds the account whose provider has signed the webhook; each account has its own key.
 * @throws WebhookRefused if no account's provider has signed it
 */
function findSigner(receivers: readonly OffRamp[], headers: Headers, body: Uint8Array) {
  let refusal: unknown;
  for (const offRamp of receivers) {
    try {
      return { offRamp, subject: offRamp.readWebhook?.(headers, body) };
    } catch (error) {
      // The error about a signed but outdated webhook is more specific than the error about a wrong key.
      if (!(error instanceof WebhookRefused && error.status === 401 && refusal)) refusal = error;
    }
  }
  throw refusal;
}

/**
 * Creates the receiver; undefined if no adapter accepts webhooks.
 * @param wake called when a payout has become due
 */
export function createWebhookReceiver(
  { database, offRamps }: { database: Database; offRamps: OffRamps },
  wake: () => void,
): WebhookReceiver | undefined {
  const receivers = listOffRamps(offRamps).filter(({ readWebhook }) => readWebhook);
  if (receivers.length === 0) return undefined;
  return async (headers, body) => {
    const found = findSigner(receivers, headers, body);
    if (!found?.subject) return;
    const { offRamp, subject } = found;
    const due = await database
      .update(payout)
      .set(dueNow)
      .where(
        and(
          eq(payout.reference, subject.reference),
          eq(payout.account, offRamp.account),
          // In these states, a worker that has claimed the payout only queries the provider. In other states, it may be
          // ordering the transfer now.
          inArray(payout.state, ["submitted", "completed"]),
          // A bank may return money after the return window, when workers no longer poll the payout.
          or(isNull(payout.nextAttemptAt), gt(dueAt, SOON)),
        ),
      )
      .returning({ id: payout.id });
    if (due.length > 0) wake();
  };
}
