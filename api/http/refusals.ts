// Refusals that several operations share, as the OpenAPI document shows them.
import { invalidRequest, invalidStateTransition, resourceMissing, type ServiceError } from "#core/errors.ts";

export const INTENT_MISSING = resourceMissing("There is no payment intent 'intent_…'.", "intentId");

/** Of lists that can be narrowed to a payment intent. */
export const OF_MISSING_INTENT = resourceMissing("There is no payment intent 'intent_…'.", "paymentIntentId");

export const CHAIN_GONE = invalidStateTransition(
  "This payment intent belongs to a chain that is gone: it can be read and not moved.",
);

export const NO_ESCROW = invalidRequest(
  "This payment intent has no escrow: it is not of type DELIVERY_VS_PAYMENT.",
);

export const TWO_CURSORS = invalidRequest("Send starting_after or ending_before, not both.", "ending_before");

/** Of lists. @param missing of a cursor that names nothing */
export const listRefusals = (missing: (param: string) => ServiceError): ServiceError[] => [
  invalidRequest("Invalid limit: expected a whole number from 1 to 100.", "limit"),
  TWO_CURSORS,
  missing("starting_after"),
  missing("ending_before"),
];
