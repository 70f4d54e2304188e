// What a request has wrong by the schema of its route, in words for the caller. Schemas describe what they expect in
// `errorMessage`, and may name another code than invalid_request in `errorCode`.
import { type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import { invalidRequest, invalidRequestError, type ServiceError, severalFaults } from "#core/errors.ts";

type Checker = { Errors(value: unknown): Iterable<ValueError> };

/** Enough for a person to mend; a body may have faults without end. */
const MOST_FAULTS = 20;

const nameOf = (path: string): string =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");

/** What the schema says of a field; else what the checker says. */
function faultOf({ type, schema, message }: ValueError, param: string): ServiceError {
  if (type === ValueErrorType.ObjectRequiredProperty) {
    return invalidRequest(`Missing required parameter: ${param}.`, param);
  }
  const expected = schema.errorMessage ?? schema.description;
  if (type === ValueErrorType.ObjectAdditionalProperties && typeof expected !== "string") {
    return invalidRequest(`Unknown parameter: ${param}.`, param);
  }
  const refuse = schema.errorCode === "invalid_request_error" ? invalidRequestError : invalidRequest;
  return refuse(
    typeof expected === "string"
      ? `Invalid ${param}: expected ${expected}.`
      : `Invalid ${param}: ${message}.`,
    param,
  );
}

/** @returns the refusal: the first fault, with all of them where there are several */
export function refusalOfBody({ validator, value }: ValidationError, hasBody: boolean): ServiceError {
  if (!hasBody) return invalidRequest("The request body is empty: send a JSON object.");
  const faults = new Map<string, ServiceError>();
  for (const error of (validator as Checker).Errors(value)) {
    if (faults.size === MOST_FAULTS) break;
    const param = nameOf(error.path);
    if (!faults.has(param)) faults.set(param, faultOf(error, param));
  }
  return severalFaults([...faults.values()]);
}
