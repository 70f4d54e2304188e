// Encrypts with AES-256-GCM what is stored but has to be read again: the secrets of webhook endpoints, which sign
// deliveries, and stored responses that contain a secret (api/idempotency/sealed-answer.ts).
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @param owner the row that the secret belongs to. The secret cannot be decrypted in another row */
export function sealSecret(keys: Buffer[], owner: string, secret: string): Buffer {
  const [key] = keys;
  if (!key) throw new Error("No encryption key is configured.");
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]);
}

function openWith(key: Buffer, owner: string, sealed: Buffer): string | undefined {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  try {
    const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

/** @throws Error if none of the keys decrypts it */
export function openSecret(keys: Buffer[], owner: string, sealed: Buffer): string {
  for (const key of keys) {
    const secret = openWith(key, owner, sealed);
    if (secret !== undefined) return secret;
  }
  throw new Error("None of the keys in WEBHOOK_SECRET_KEY decrypts this secret.");
}
