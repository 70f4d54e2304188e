// Error responses in the document. Each code has its own schema, because the code determines the fields. The
// examples are built from the errors that the API throws.
import { Type } from "@sinclair/typebox";
import type { ErrorCode, ServiceError } from "#core/errors.ts";
import type { Json } from "./components.ts";

/** Codes whose errors contain the offending parameter, either always or if it is known. */
const PARAM: Partial<Record<ErrorCode, "always" | "known">> = {
  invalid_request: "known",
  invalid_request_error: "always",
  resource_missing: "known",
  // Set for the signature of an oracle, but not necessarily for the payer's signature.
  signature_verification_failed: "known",
};

const text = (description: string) => Type.String({ description });
const SEALED = { additionalProperties: false };

/** All validation errors of a body are reported in one response. */
const FAULTS = Type.Array(
  Type.Object(
    {
      code: text("As in the enclosing error."),
      message: text("As in the enclosing error."),
      param: Type.Optional(text("The offending parameter.")),
    },
    SEALED,
  ),
  {
    minItems: 2,
    description:
      "Every validation error of the request body, if there are several. The first one is this error.",
  },
);

function buildSchema({ code, type, details }: ServiceError): Json {
  const param = text("The offending parameter.");
  const error = {
    code: Type.Literal(code, { description: "A machine-readable error code." }),
    message: text("What is wrong and what to do, for people."),
    type: Type.Literal(type, { description: "The type of error." }),
    ...(PARAM[code] ? { param: PARAM[code] === "always" ? param : Type.Optional(param) } : {}),
    ...(details.retryAfter === undefined
      ? {}
      : { retryAfter: Type.Integer({ minimum: 1, description: "Seconds." }) }),
    ...(code.startsWith("invalid_request") ? { errors: Type.Optional(FAULTS) } : {}),
    requestId: text("The response's X-Request-Id, for support requests."),
  };
  const sealed = Type.Object(error, { description: "The error.", ...SEALED });
  return Type.Object({ error: sealed }, { title: `Error.${code}`, ...SEALED });
}

/** Examples by name, which consists of the code, the parameter, and a number if the name would be ambiguous. */
export type Examples = Record<string, { value: object }>;

function addExample(examples: Examples, error: ServiceError): string {
  const { code, details } = error;
  // A component's name cannot contain brackets, as in `expand[]`.
  const base = details.param === undefined ? code : `${code}.${details.param.replace(/[^\w.-]/g, "")}`;
  const value = error.toBody("req_01990a5e3c7e7000");
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}.${number}`;
    examples[name] ??= { value };
    if (Bun.deepEquals(examples[name].value, value)) return name;
  }
}

/** Returns the content of a response that contains one of these errors, which share a status. */
export function errorContent(examples: Examples, errors: readonly ServiceError[]) {
  const schemas = [...new Map(errors.map((error) => [error.code, buildSchema(error)])).values()];
  const names = [...new Set(errors.map((error) => addExample(examples, error)))];
  return {
    "application/json": {
      schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
      examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
    },
  };
}
