// Encrypts stored responses that contain a secret, so that access to the database is not sufficient to sign with it.
import type { Config } from "#core/config/config.ts";
import { openSecret, sealSecret } from "#core/webhooks/secret-box.ts";

const SEALED = "sealed:";
const OWNER = "idempotent answer";

type Keys = Pick<Config, "webhooks">;

/** Returns the response's text as stored. */
export function storedText({ webhooks }: Keys, answer: unknown): string {
  const text = JSON.stringify(answer);
  const isSecret = typeof answer === "object" && answer !== null && "secret" in answer;
  return isSecret ? `${SEALED}${sealSecret(webhooks.secretKeys, OWNER, text).toString("base64")}` : text;
}

/** Returns the response's text as sent. */
export function answeredText({ webhooks }: Keys, stored: string): string {
  if (!stored.startsWith(SEALED)) return stored;
  return openSecret(webhooks.secretKeys, OWNER, Buffer.from(stored.slice(SEALED.length), "base64"));
}
