// A provider's webhook is a hint: it makes a payout due to be looked at now. What has become of the transfer the
// provider's API says, so that repeated, reordered and late webhooks change nothing.
import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database } from "#core/db/client.ts";
import { payout } from "#core/db/schema/payouts.ts";
import { dueAt, dueNow } from "#core/payouts/due-now.ts";
import { listOffRamps } from "./accounts.ts";
import { type OffRamp, type OffRamps, WebhookRefused } from "./off-ramp.ts";

/** Where the provider is told to send them, on the settlement role's port for webhooks. */
export const WEBHOOK_PATH = "/webhooks/off-ramp";

/** What comes sooner than this anyway needs no hint. */
const SOON = sql`clock_timestamp() + interval '100 milliseconds'`;

/** @throws WebhookRefused; Error for what the provider may try again */
export type WebhookReceiver = (headers: Headers, body: Uint8Array) => Promise<void>;

/**
 * The account whose provider has signed it: each has a key of its own.
 * @throws WebhookRefused when none has
 */
function findSigner(receivers: readonly OffRamp[], headers: Headers, body: Uint8Array) {
  let refusal: unknown;
  for (const offRamp of receivers) {
    try {
      return { offRamp, hint: offRamp.readWebhook?.(headers, body) };
    } catch (error) {
      // What is signed and too old says more than that another key has not signed it.
      if (!(error instanceof WebhookRefused && error.status === 401 && refusal)) refusal = error;
    }
  }
  throw refusal;
}

/**
 * Makes the receiver; undefined where no adapter takes webhooks.
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
    if (!found?.hint) return;
    const { offRamp, hint } = found;
    const due = await database
      .update(payout)
      .set(dueNow)
      .where(
        and(
          eq(payout.reference, hint.reference),
          eq(payout.account, offRamp.account),
          // Whoever has one of these in hand only asks. Of the others somebody may be ordering the transfer just now.
          inArray(payout.state, ["submitted", "completed"]),
          // A bank may give money back after the return window, when nobody asks any more.
          or(isNull(payout.nextAttemptAt), gt(dueAt, SOON)),
        ),
      )
      .returning({ id: payout.id });
    if (due.length > 0) wake();
  };
}
