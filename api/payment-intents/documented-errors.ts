// Errors shared by payment intent operations, for the OpenAPI document.
import { invalidRequest, invalidStateTransition, noSuch } from "#core/errors.ts";

export const INTENT_MISSING = noSuch("payment intent", "intent_…", "intentId");

export const CHAIN_UNAVAILABLE = invalidStateTransition(
  "This payment intent belongs to a chain that no longer exists and is read-only.",
);

export const NO_ESCROW = invalidRequest(
  "This payment intent has no escrow: its type is not DELIVERY_VS_PAYMENT.",
);
