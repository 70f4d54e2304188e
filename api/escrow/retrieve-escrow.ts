// Retrieves the conditional payment of an intent (spec, operation 6).
import type { Static } from "@sinclair/typebox";
import type { Config } from "#core/config/config.ts";
import { invalidRequest } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showEscrow } from "#core/intent/show-escrow.ts";
import type { Call } from "../http/request-context.ts";
import { findOwnIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import type { ConditionalPaymentEnvelope } from "./schemas.ts";

type Escrow = Static<typeof ConditionalPaymentEnvelope>;

/** @throws ServiceError 400 for an intent without an escrow order */
export function requireEscrow(view: IntentView): void {
  if (view.intent.type !== "DELIVERY_VS_PAYMENT") {
    throw invalidRequest("This payment intent has no escrow: its type is not DELIVERY_VS_PAYMENT.");
  }
}

export function buildEscrow(view: IntentView, config: Config): Escrow {
  const data = showEscrow(view, config);
  return {
    id: data.id,
    object: "conditional_payment",
    data: { ...data, releaseType: data.releaseType as Escrow["data"]["releaseType"] },
  };
}

/** Finds the caller's intent. @throws ServiceError 400 if the intent has no escrow */
export async function findOwnEscrow(services: Services, call: Call): Promise<IntentView> {
  const view = await findOwnIntent(services, call);
  requireEscrow(view);
  return view;
}

export async function retrieveEscrow(services: Services, call: Call): Promise<Escrow> {
  return buildEscrow(await findOwnEscrow(services, call), services.config);
}
