// Errors shared by payment intent operations, for the OpenAPI document.
import { invalidRequest, invalidStateTransition, resourceMissing } from "#core/errors.ts";

export const INTENT_MISSING = resourceMissing("There is no payment intent 'intent_…'.", "intentId");

export const CHAIN_GONE = invalidStateTransition(
  "This payment intent belongs to a chain that is gone: it can be read and not moved.",
);

export const NO_ESCROW = invalidRequest(
  "This payment intent has no escrow: it is not of type DELIVERY_VS_PAYMENT.",
);
