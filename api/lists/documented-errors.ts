// Errors that lists share, for their code and for the OpenAPI document.
import { invalidRequest, noSuch, type ServiceError } from "#core/errors.ts";

export const TWO_CURSORS = invalidRequest("Send starting_after or ending_before, not both.", "ending_before");

/** For lists that can be filtered by a payment intent. */
export const OF_MISSING_INTENT = noSuch("payment intent", "intent_…", "paymentIntentId");

/** @param missing creates the error for a cursor that does not exist */
export const listRefusals = (missing: (param: string) => ServiceError): ServiceError[] => [
  invalidRequest("Invalid limit: expected a whole number from 1 to 100.", "limit"),
  TWO_CURSORS,
  missing("starting_after"),
  missing("ending_before"),
];
