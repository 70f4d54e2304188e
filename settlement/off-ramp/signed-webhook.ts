// Verifies the signature of a provider's webhook: `X-Webhook-Signature: t=<milliseconds>,v0=<base64>`, RSA with SHA-256
// over the SHA-256 digest of `<t>.<body>`, so the content is hashed twice (Bridge, "Webhook event signature
// verification"). Only public keys are involved, so timing reveals no secret.
import { createHash, type KeyObject, verify } from "node:crypto";
import { WebhookRefused } from "./off-ramp.ts";

/** Webhooks that are older than this, or dated this far in the future, are treated as replays, as Bridge recommends. */
const WINDOW_MS = 600_000;

const SIGNATURE = /^t=(\d{10,16}),v0=([A-Za-z0-9+/]{4,1400}={0,2})$/;

/**
 * @param now Unix milliseconds
 * @returns the event; only its signer has been verified
 * @throws WebhookRefused 401 if it is not the provider's; 400 if its time is outside the window or it is not JSON
 */
export function readSignedEvent(
  key: KeyObject,
  headers: Headers,
  body: Uint8Array,
  now = Date.now(),
): unknown {
  const [, time = "", signature = ""] = SIGNATURE.exec(headers.get("X-Webhook-Signature") ?? "") ?? [];
  const digest = createHash("sha256").update(`${time}.`).update(body).digest();
  if (!time || !verify("sha256", digest, key, Buffer.from(signature, "base64"))) {
    throw new WebhookRefused(401, "Not signed by the provider.");
  }
  if (Math.abs(now - Number(time)) > WINDOW_MS)
    throw new WebhookRefused(400, "The signature's time is outside the allowed window.");
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookRefused(400, "Not an event.");
  }
}
