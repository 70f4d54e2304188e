// Reads and checks request bodies: JSON objects of at most 1 MiB, every field known and of its type.
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler, type ValueError, ValueErrorType } from "@sinclair/typebox/compiler";
import { invalidRequest, ServiceError, severalFaults } from "#core/errors.ts";
import type { PublicCall } from "./call.ts";
import { findRepeatedKey } from "./json-text.ts";

export const MAX_BODY_BYTES = 1024 * 1024;

const tooLarge = () => invalidRequest("The request body is too large: send at most 1 MiB.");

/** @throws ServiceError 400 if the client ends the body early: that is no fault of the server's */
async function readBytes(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof ServiceError
      ? error
      : invalidRequest("The request body ended before it was complete.");
  }
  return Buffer.concat(chunks);
}

/** @throws ServiceError 400 if the body is larger than 1 MiB, incomplete or no UTF-8 */
export async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (!request.body) return "";
  const bytes = await readBytes(request.body);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest("The request body must be JSON in UTF-8.");
  }
}

/** Deeper than anybody means, and far from where parsers and databases run out of stack. */
const MAX_DEPTH = 32;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

/** PostgreSQL stores neither U+0000 nor half characters, and nobody means them. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().every(isStorable);
  return true;
}

/** @throws ServiceError 400 unless the text is a JSON object */
export function parseJsonObject(text: string): Record<string, unknown> {
  if (text.trim() === "") throw invalidRequest("The request body is empty: send a JSON object.");
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalidRequest("The request body is not valid JSON.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidRequest("The request body must be a JSON object.");
  }
  if (isDeeperThan(MAX_DEPTH, body)) {
    throw invalidRequest(`The request body is nested too deeply: at most ${MAX_DEPTH} levels.`);
  }
  if (!isStorable(body)) {
    throw invalidRequest(
      "The request body must not contain the character U+0000 or half of a surrogate pair.",
    );
  }
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined) {
    throw invalidRequest(
      `The request body has the key ${JSON.stringify(repeated.slice(0, 100))} twice in one object.`,
      repeated.slice(0, 100),
    );
  }
  return body as Record<string, unknown>;
}

/** @throws ServiceError 400 unless the body is a JSON object sent as application/json */
async function readJsonObject(call: PublicCall): Promise<Record<string, unknown>> {
  const mediaType = call.request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw invalidRequest("Send the request body as JSON, with the header 'Content-Type: application/json'.");
  }
  return parseJsonObject(await call.text());
}

const nameOf = (path: string): string =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");

/** What the schema says of a field, in words for the caller; else what the checker says. */
function explain({ type, schema, message }: ValueError, param: string): string {
  if (type === ValueErrorType.ObjectRequiredProperty) return `Missing required parameter: ${param}.`;
  const wanted = schema.errorMessage ?? schema.description;
  if (type === ValueErrorType.ObjectAdditionalProperties && typeof wanted !== "string") {
    return `Unknown parameter: ${param}.`;
  }
  return typeof wanted === "string"
    ? `Invalid ${param}: expected ${wanted}.`
    : `Invalid ${param}: ${message}.`;
}

/** Enough for a person to mend; a body may have faults without end. */
const MOST_FAULTS = 20;

/** The first fault of each field. */
function faultsOf<T extends TSchema>(
  checker: TypeCheck<T>,
  body: unknown,
  refuse: (message: string, param: string) => ServiceError,
): ServiceError[] {
  const faults = new Map<string, ServiceError>();
  for (const error of checker.Errors(body)) {
    if (faults.size === MOST_FAULTS) break;
    const param = nameOf(error.path);
    if (!faults.has(param)) faults.set(param, refuse(explain(error, param), param));
  }
  return [...faults.values()];
}

/** Makes the check of one operation's body. Schemas describe what they expect in `errorMessage`. */
export function bodyOf<T extends TSchema>(
  schema: T,
  refuse: (message: string, param: string) => ServiceError = invalidRequest,
) {
  const checker = TypeCompiler.Compile(schema);
  return async (call: PublicCall): Promise<Static<T>> => {
    const body = await readJsonObject(call);
    if (checker.Check(body)) return body;
    throw severalFaults(faultsOf(checker, body, refuse));
  };
}

const readEmpty = bodyOf(Type.Object({}, { additionalProperties: false }));

/** As bodyOf, for operations whose body may be left out: it then counts as an empty object. */
export function optionalBodyOf<T extends TSchema>(schema: T) {
  const read = bodyOf(schema);
  return async (call: PublicCall): Promise<Static<T>> =>
    (await call.text()) === "" ? ({} as Static<T>) : read(call);
}

/**
 * For operations that take no body, or an empty object: whoever sends `amount` with a refund means something by it.
 * @throws ServiceError 400
 */
export async function requireNoBody(call: PublicCall): Promise<void> {
  if ((await call.text()) !== "") await readEmpty(call);
}
