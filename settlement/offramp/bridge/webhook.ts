// The provider's webhooks: `X-Webhook-Signature: t=<milliseconds>,v0=<base64>`, RSA with SHA-256 over the SHA-256 digest
// of `<t>.<body>`: it is hashed twice (Bridge, "Webhook event signature verification"). Only public keys are compared
// with, so the time that it takes tells nobody a secret.
import { createHash, type KeyObject, verify } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Hint, WebhookRefused } from "../off-ramp.ts";

/** Older ones, and younger ones than our clock, are replays. Bridge's own advice. */
const WINDOW_MS = 600_000;

const SIGNATURE = /^t=(\d{10,16}),v0=([A-Za-z0-9+/]{4,1400}={0,2})$/;

const TransferEvent = Type.Object({
  event_category: Type.Literal("transfer"),
  event_object: Type.Object({ client_reference_id: Type.String({ minLength: 1 }) }),
});

/**
 * @param now Unix milliseconds
 * @returns undefined for an event that is not about a transfer of ours
 * @throws WebhookRefused 401 when it is not the provider's; 400 when it is too old, or no event
 */
export function readWebhook(
  key: KeyObject,
  headers: Headers,
  body: Uint8Array,
  now = Date.now(),
): Hint | undefined {
  const [, time = "", signature = ""] = SIGNATURE.exec(headers.get("X-Webhook-Signature") ?? "") ?? [];
  const digest = createHash("sha256").update(`${time}.`).update(body).digest();
  if (!time || !verify("sha256", digest, key, Buffer.from(signature, "base64"))) {
    throw new WebhookRefused(401, "Not signed by the provider.");
  }
  if (Math.abs(now - Number(time)) > WINDOW_MS) throw new WebhookRefused(400, "Signed too long ago.");
  const event = parse(body);
  return Value.Check(TransferEvent, event)
    ? { reference: event.event_object.client_reference_id }
    : undefined;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookRefused(400, "No event.");
  }
}
