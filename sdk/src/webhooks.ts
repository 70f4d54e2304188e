// Verifies webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over the id, the timestamp and the body.
import { WebhookVerificationError } from "./http/errors.ts";
import type { Schemas } from "./types/operations.ts";

const PREFIX = "whsec_";
const TOLERANCE_S = 300;

/** `Headers`, or an object with lower-case names like Node.js's `request.headers`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { [name: string]: string | string[] | undefined };

export type VerifyOptions = {
  /** Maximum difference between the timestamp and the current time, in seconds. Default: 300. */
  tolerance?: number | undefined;
};

const fail = (message: string): never => {
  throw new WebhookVerificationError(message);
};

function readHeader(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === "function" ? headers.get(name) : (headers as Record<string, unknown>)[name];
  return typeof value === "string" && value !== "" ? value : fail(`The header ${name} is missing.`);
}

/** @returns undefined if the text is not base64 */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!bytes?.length) return fail("The secret is not one of a webhook endpoint (whsec_…).");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function concatenate(head: string, body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const first = encoder.encode(head);
  const second = typeof body === "string" ? encoder.encode(body) : new Uint8Array(body);
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/**
 * Verifies that the gateway sent a webhook within the tolerance, and returns its event.
 * @param body the raw body as received, because a body that is parsed and serialized again does not match its
 * signature
 * @param secret the endpoint's secret, or several secrets, because two secrets are valid during a rotation
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance = TOLERANCE_S }: VerifyOptions = {},
): Promise<Schemas["Event"]> {
  if (typeof body !== "string" && !(body instanceof Uint8Array) && !(body instanceof ArrayBuffer)) {
    fail("The body is required as it was received, as text or bytes: verify it before it is parsed.");
  }
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature")
    .split(" ")
    .filter((signature) => signature.startsWith("v1,"))
    .flatMap((signature) => decodeBase64(signature.slice("v1,".length)) ?? []);
  if (!/^\d+$/.test(timestamp)) fail("The header webhook-timestamp is not a time.");
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > tolerance) {
    fail("The webhook is too old or from the future: is this machine's clock right?");
  }
  const content = concatenate(`${id}.${timestamp}.`, body);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const key = await importSecret(one);
    for (const signature of signatures) {
      // `verify` compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, content)) return readEvent(body);
    }
  }
  return fail("No signature matches: is this the endpoint's secret, and the body as it was received?");
}

function readEvent(body: string | Uint8Array | ArrayBuffer): Schemas["Event"] {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as Schemas["Event"];
  } catch {
    return fail("The body is not JSON.");
  }
}

export const webhooks: { verify: typeof verifyWebhook } = { verify: verifyWebhook };
