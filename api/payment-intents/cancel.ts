// Cancels a payment intent that is not funded: POST …/cancel.
import { eq } from "drizzle-orm";
import { intent } from "#core/db/schema/intents.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findOwnIntent, lockIntent } from "./find.ts";
import { requireUnfunded } from "./require-status.ts";

/** While the relayer's funding transaction is pending, it is unknown whether there will be funds to refund. */
const requireCancelable = (view: IntentView): void => requireUnfunded(view, "cannot be canceled");

export async function cancelIntent(services: Services, call: Call): Promise<Envelope> {
  const view = await findOwnIntent(services, call);
  requireCancelable(view);
  return services.database.transaction(async (tx) => {
    requireCancelable(await lockIntent(services, tx, view));
    const now = new Date();
    await tx.update(intent).set({ canceledAt: now, updatedAt: now }).where(eq(intent.id, view.intent.id));
    return call.answer(tx, buildEnvelope(await lockIntent(services, tx, view), services.config));
  });
}
