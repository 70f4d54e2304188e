// Signs webhooks (https://www.standardwebhooks.com): HMAC-SHA256 over id, timestamp and body.
import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

/** Generates a secret of 32 random bytes in the Standard Webhooks format: `whsec_`, then base64. */
export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(32).toString("base64")}`;

const sign = (secret: string, content: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(PREFIX.length), "base64"))
    .update(content)
    .digest("base64")}`;

/** @param timestamp Unix seconds */
export function signatureHeaders(secrets: string[], id: string, timestamp: number, body: string) {
  const content = `${id}.${timestamp}.${body}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => sign(secret, content)).join(" "),
  };
}
