// Retry a payout that failed for good (design, "REQUIRES_ACTION"): POST …/settlement/retry.
// The provider has said that no money arrived, so another attempt, with a reference of its own, can pay nothing twice.
import { desc, eq, sql } from "drizzle-orm";
import type { Transaction } from "#core/db/client.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { payout } from "#core/db/schema.ts";
import { invalidStateTransition } from "#core/errors.ts";
import { newId } from "#core/ids.ts";
import { payoutReference } from "#core/payout-reference.ts";
import { requireNoBody } from "../http/body.ts";
import type { Call } from "../http/call.ts";
import type { Services } from "../services.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import { findOwnIntent, lockIntent, requireMovable } from "./find.ts";

function requireFailedPayout(view: IntentView): void {
  requireMovable(view);
  if (view.status !== "REQUIRES_ACTION" || view.settlementStatus !== "FAILED") {
    throw invalidStateTransition(
      `A payment intent in status ${view.status} has no failed settlement to retry.`,
    );
  }
}

/** The next attempt of every payout whose latest attempt failed or came back. */
async function tryAgain(services: Services, tx: Transaction, view: IntentView): Promise<void> {
  const latest = await tx
    .selectDistinctOn([payout.settlementId, payout.part])
    .from(payout)
    .where(eq(payout.intentId, view.intent.id))
    .orderBy(payout.settlementId, payout.part, desc(payout.attempt));
  const failed = latest.filter(({ state }) => state === "failed" || state === "returned");
  await tx.insert(payout).values(
    failed.map(
      ({
        intentId,
        settlementId,
        part,
        settlementTxHash,
        attempt,
        method,
        destination,
        amount,
        currency,
      }) => ({
        id: newId("payout"),
        reference: payoutReference(services.deployment, { settlementId, part, attempt: attempt + 1 }),
        attempt: attempt + 1,
        nextLookAt: sql`date_trunc('milliseconds', clock_timestamp())`,
        ...{ intentId, settlementId, part, settlementTxHash, method, destination, amount, currency },
      }),
    ),
  );
}

export async function retrySettlement(services: Services, call: Call): Promise<Envelope> {
  const view = await findOwnIntent(services, call);
  await requireNoBody(call);
  requireFailedPayout(view);
  return services.database.transaction(async (tx) => {
    const locked = await lockIntent(services, tx, view);
    requireFailedPayout(locked);
    await tryAgain(services, tx, locked);
    return call.answer(tx, envelopeOf(await lockIntent(services, tx, view), services.config));
  });
}
