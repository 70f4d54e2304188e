// Cancel a payment intent before it is funded (design, "CANCELED"): POST …/cancel.
import { eq } from "drizzle-orm";
import type { IntentView } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema.ts";
import { internalError, invalidStateTransition } from "#core/errors.ts";
import type { Services } from "../services.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import { findOwnIntent, lockIntent, requireMovable } from "./find.ts";

/** While a funding attempt is unresolved (PROCESSING), nobody knows yet whether there is something to refund. */
function requireCancelable(view: IntentView): void {
  requireMovable(view);
  const unfunded =
    ["INITIATED", "REQUIRES_SIGNATURE", "REQUIRES_ACTION"].includes(view.status) && !view.order;
  if (!unfunded) {
    throw invalidStateTransition(`A payment intent in status ${view.status} cannot be canceled.`);
  }
}

export async function cancelIntent(services: Services, request: Request, id: string): Promise<Envelope> {
  const caller = await services.authenticate(request);
  const view = await findOwnIntent(services, caller, id);
  requireCancelable(view);
  const canceled = await services.database.transaction(async (tx) => {
    requireCancelable(await lockIntent(services, tx, view));
    const now = new Date();
    await tx.update(intent).set({ canceledAt: now, updatedAt: now }).where(eq(intent.id, view.intent.id));
    return services.reader.findLocked(tx, view.intent.id);
  });
  if (!canceled) throw internalError(new Error("An intent vanished while it was canceled."));
  return envelopeOf(canceled, services.config);
}
