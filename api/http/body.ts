// Reads request bodies: JSON objects of at most 1 MiB. Elysia validates them against the schema of their route.
import { Type } from "@sinclair/typebox";
import { invalidRequest, ServiceError } from "#core/errors.ts";
import { findRepeatedKey } from "./json-text.ts";

/**
 * For operations that accept no body or an empty object. Other fields are rejected, because a caller who sends
 * `amount` with a release, for example, expects it to have an effect.
 */
export const NoBody = Type.Object({}, { additionalProperties: false });

export const MAX_BODY_BYTES = 1024 * 1024;

const tooLarge = () => invalidRequest("The request body is too large: send at most 1 MiB.");

/** @throws ServiceError 400 if the body is larger than 1 MiB, not UTF-8, or truncated */
export async function readText({ body, headers }: Request): Promise<string> {
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw invalidRequest("The request body ended before it was complete.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalidRequest("The request body must be JSON in UTF-8.");
  }
}

/** Deeper than any real request, but far below the depth at which parsers and databases overflow their stack. */
const MAX_DEPTH = 32;

/**
 * Gives an object its own conversion methods if its members hide the inherited ones, because Elysia converts rejected
 * values to strings.
 */
function keepWords(value: object): void {
  if (!Object.hasOwn(value, "toString") && !Object.hasOwn(value, "valueOf")) return;
  Object.defineProperty(value, Symbol.toPrimitive, { value: () => "an object" });
}

/**
 * PostgreSQL cannot store U+0000 or lone surrogates, and no real request contains them.
 * @throws ServiceError 400 if the value, or a key in it, cannot be stored
 */
function requireStorable(value: unknown, depth = 0): void {
  if (typeof value === "string" && (value.includes("\0") || !value.isWellFormed())) {
    throw invalidRequest("The request body must not contain the character U+0000 or an unpaired surrogate.");
  }
  if (typeof value !== "object" || value === null) return;
  if (depth >= MAX_DEPTH) {
    throw invalidRequest(`The request body is nested too deeply: at most ${MAX_DEPTH} levels are allowed.`);
  }
  keepWords(value);
  for (const [key, member] of Object.entries(value)) {
    requireStorable(key);
    requireStorable(member, depth + 1);
  }
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
  requireStorable(body);
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined) {
    throw invalidRequest(
      `The request body contains the key ${JSON.stringify(repeated.slice(0, 100))} more than once in the same object.`,
      repeated.slice(0, 100),
    );
  }
  return body as Record<string, unknown>;
}

/** The body of a request without a body. */
export const EMPTY_BODY: Record<string, unknown> = Object.freeze({});

/** @throws ServiceError 400 unless the body is empty, or a JSON object sent as application/json */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const text = await readText(request);
  if (text === "") return EMPTY_BODY;
  const mediaType = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw invalidRequest("Send the request body as JSON, with the header 'Content-Type: application/json'.");
  }
  return parseJsonObject(text);
}
