// Retries a payout that failed permanently (REQUIRES_ACTION): POST …/settlement/retry.
import { invalidStateTransition } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { SettledExternallyError, tryPayoutsAgain } from "#core/payouts/try-again.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findOwnIntent, lockIntent } from "./find.ts";
import { requireNotOrphaned } from "./require-status.ts";

function requireFailedPayout(view: IntentView): void {
  requireNotOrphaned(view);
  if (view.status !== "REQUIRES_ACTION" || view.settlementStatus !== "FAILED") {
    throw invalidStateTransition(
      `A payment intent in status ${view.status} has no failed settlement to retry.`,
    );
  }
}

function refuse(error: unknown): never {
  throw error instanceof SettledExternallyError ? invalidStateTransition(error.message) : error;
}

export async function retrySettlement(services: Services, call: Call): Promise<Envelope> {
  const view = await findOwnIntent(services, call);
  requireFailedPayout(view);
  return services.database.transaction(async (tx) => {
    const locked = await lockIntent(services, tx, view);
    requireFailedPayout(locked);
    const { deployment, config } = services;
    await tryPayoutsAgain(tx, deployment, locked.intent.id, config.returnFeeBearer).catch(refuse);
    return call.answer(tx, buildEnvelope(await lockIntent(services, tx, view), services.config));
  });
}
