// Maps violations of a route's schemas to errors for the caller. Schemas describe the expected value in
// `errorMessage`, and can set a different code than invalid_request in `errorCode`.
import { type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import {
  invalidRequest,
  invalidRequestError,
  resourceMissing,
  type ServiceError,
  severalFaults,
} from "#core/errors.ts";
import { EMPTY_BODY } from "./body.ts";

type Checker = { Errors(value: unknown): Iterable<ValueError> };

/** Maximum number of reported errors, because a body can contain any number of errors. */
const MOST_FAULTS = 20;

/** Suggested parameters for names that are not parameters themselves. */
const HINTS: Record<string, string> = {
  created: " Use created[gte] or created[lte], in Unix seconds.",
  metadata: " Use metadata[key].",
  expand: " Use expand[].",
};

const splitPath = (path: string): string[] =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

/**
 * Formats a parameter's name as the caller writes it: `metadata.a` in a body, `metadata[a]` and `expand[]` in a
 * query.
 */
function formatName(path: string, isQuery: boolean): string {
  const [first = "", ...rest] = splitPath(path);
  if (!isQuery) return [first, ...rest].join(".");
  return first.endsWith("[]") ? first : [first, ...rest.map((part) => `[${part}]`)].join("");
}

/** Uses the schema's message for a field, or else the validator's message. */
function toFault({ type, schema, message }: ValueError, param: string): ServiceError {
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

function faultOfQuery(error: ValueError, param: string): ServiceError {
  const [group = ""] = param.split("[", 1);
  const isUnknown =
    error.type === ValueErrorType.ObjectAdditionalProperties || error.type === ValueErrorType.Object;
  if (isUnknown) return invalidRequest(`Unknown parameter: ${param}.${HINTS[group] ?? ""}`, param);
  if (Array.isArray(error.value))
    return invalidRequest(`The parameter ${param} is specified more than once.`, param);
  return toFault(error, param);
}

/** Elysia also accepts a nested value as text. Only the errors of the value itself are reported. */
const withinUnion = (error: ValueError): Iterable<ValueError> =>
  error.type === ValueErrorType.Union && error.schema.elysiaMeta ? (error.errors.at(-1) ?? [error]) : [error];

const BAD_IDEMPOTENCY_KEY = invalidRequest(
  "Invalid Idempotency-Key: expected 1 to 255 printable characters.",
  "Idempotency-Key",
);

/** @returns the first validation error, which lists all errors if there are several */
export function toRefusal({ type, validator, value }: ValidationError): ServiceError {
  const errors = (validator as Checker).Errors(value);
  if (type === "headers") return BAD_IDEMPOTENCY_KEY;
  if (value === EMPTY_BODY) return invalidRequest("The request body is empty: send a JSON object.");
  const faults = new Map<string, ServiceError>();
  for (const found of errors) {
    if (faults.size === MOST_FAULTS) break;
    for (const error of withinUnion(found)) {
      const param = formatName(error.path, type === "query");
      if (type === "params") return resourceMissing("The resource does not exist.", param);
      if (type === "query") return faultOfQuery(error, param);
      if (!faults.has(param)) faults.set(param, toFault(error, param));
    }
  }
  return faults.size > 0
    ? severalFaults([...faults.values()])
    : invalidRequest(`The request's ${type} is invalid.`);
}
