// Attaches a payer, which changes the status from INITIATED to REQUIRES_SIGNATURE: POST
// …/public/:intentId/payer, used by the payment page. The payer can be replaced, and other accounts can still
// sign and pay.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { getAddress, zeroAddress } from "viem";
import { intent } from "#core/db/schema/intents.ts";
import { invalidRequest } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { PublicCall } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import type { AttachPayerBody } from "./bodies.ts";
import { requireBoundPayer } from "./bound-payer.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findIntent, lockIntent } from "./find.ts";
import { requireUnfunded } from "./require-status.ts";

const requireUnpaid = (view: IntentView): void => requireUnfunded(view, "does not accept a payer");

export async function attachPayer(
  services: Services,
  call: PublicCall,
  body: Static<typeof AttachPayerBody>,
): Promise<Envelope> {
  const view = await findIntent(services, call);
  requireUnpaid(view);
  const payer = getAddress(body.payerAddress);
  if (payer === zeroAddress) {
    throw invalidRequest("Invalid payerAddress: the zero address cannot sign.", "payerAddress");
  }
  requireBoundPayer(view, payer);
  return services.database.transaction(async (tx) => {
    requireUnpaid(await lockIntent(services, tx, view));
    await tx.update(intent).set({ payer, updatedAt: new Date() }).where(eq(intent.id, view.intent.id));
    const attached = await lockIntent(services, tx, view);
    return call.answer(tx, buildEnvelope(attached, services.config, { audience: "public", payer }));
  });
}
