// Error answers in the document: a schema for each code, so that a code determines the fields, and examples made
// of the very errors that are thrown.
import type { ErrorCode, ServiceError } from "#core/errors.ts";
import type { Json } from "./components.ts";

/** Codes whose error names the offending parameter: always, or where it is known. */
const PARAM: Partial<Record<ErrorCode, "always" | "known">> = {
  invalid_request: "known",
  invalid_request_error: "always",
  resource_missing: "known",
  // Of an oracle; a payer's signature needs no naming.
  signature_verification_failed: "known",
};

const REQUEST_ID = {
  type: "string",
  description: "The answer's X-Request-Id: name it when you ask for help.",
};

/** What a body has wrong is said in one answer. */
const FAULTS = {
  type: "array",
  minItems: 2,
  description: "Every fault of the request body, where there are several: the first is this error.",
  items: {
    type: "object",
    additionalProperties: false,
    required: ["code", "message"],
    properties: {
      code: { type: "string", description: "As in the error." },
      message: { type: "string", description: "As in the error." },
      param: { type: "string", description: "The offending parameter." },
    },
  },
};

function schemaOf({ code, type, details }: ServiceError): Json {
  const retries = details.retryAfter !== undefined;
  return {
    type: "object",
    additionalProperties: false,
    required: ["error"],
    properties: {
      error: {
        type: "object",
        description: "What went wrong.",
        additionalProperties: false,
        required: [
          "code",
          "message",
          "type",
          ...(PARAM[code] === "always" ? ["param"] : []),
          ...(retries ? ["retryAfter"] : []),
          "requestId",
        ],
        properties: {
          code: { const: code, type: "string", description: "What went wrong, for programs." },
          message: { type: "string", description: "For people: what is wrong, and what to do." },
          type: { const: type, type: "string", description: "The kind of error." },
          ...(PARAM[code] ? { param: { type: "string", description: "The offending parameter." } } : {}),
          ...(retries ? { retryAfter: { type: "integer", minimum: 1, description: "Seconds." } } : {}),
          ...(code.startsWith("invalid_request") ? { errors: FAULTS } : {}),
          requestId: REQUEST_ID,
        },
      },
    },
  };
}

export class Errors {
  readonly schemas: Record<string, Json> = {};
  readonly examples: Record<string, Json> = {};

  /** The content of an answer that is one of these errors, which have one status. */
  content(errors: readonly ServiceError[]): Json {
    const schemas = [...new Set(errors.map((error) => this.#schema(error)))].map(($ref) => ({ $ref }));
    const names = [...new Set(errors.map((error) => this.#example(error)))];
    return {
      "application/json": {
        schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
        examples: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    };
  }

  #schema(error: ServiceError): string {
    const name = `Error.${error.code}`;
    this.schemas[name] = schemaOf(error);
    return `#/components/schemas/${name}`;
  }

  /** @returns its name: the code, the parameter that it is about, and a number where that is not enough */
  #example(error: ServiceError): string {
    const { code, details } = error;
    // A component's name has no brackets: `expand[]`.
    const base = details.param === undefined ? code : `${code}.${details.param.replace(/[^\w.-]/g, "")}`;
    const value = error.toBody("req_01990a5e3c7e7000");
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}.${number}`;
      const known = this.examples[name];
      if (known && JSON.stringify(known.value) !== JSON.stringify(value)) continue;
      this.examples[name] = { value };
      return name;
    }
  }
}
