// Schemas of API keys, as managed in the dashboard.
import { type Static, Type } from "@sinclair/typebox";
import type { KeyRow } from "#core/api-keys/key-row.ts";
import { DEFAULT_OVERLAP, MAX_OVERLAP } from "#core/api-keys/rotate-key.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { idField, Livemode, objectField } from "../http/fields.ts";
import { listOf, listQuery } from "../lists/schemas.ts";
import { described, nullable, oneOf, UnixSeconds } from "../payment-intents/schemas.ts";

const ACCESS = ["full", "no_release", "read_only"] as const;
const YEAR = 365 * 86_400;

const Name = Type.String({ minLength: 1, maxLength: 100, errorMessage: "a name of 1 to 100 characters" });

export const CreateKeyBody = Type.Object(
  {
    name: Type.Optional(Name),
    access: Type.Optional(
      oneOf(ACCESS, undefined, "The key's permissions (docs/api-keys.md). Full access by default."),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: 10 * YEAR,
        description: "Seconds until the key expires. If omitted, the key does not expire",
        errorMessage: `a whole number of seconds from 60 to ${10 * YEAR}`,
      }),
    ),
  },
  {
    title: "CreateApiKey",
    additionalProperties: false,
    examples: [{ name: "Web shop", access: "no_release" }],
  },
);

export const RotateKeyBody = Type.Object(
  {
    overlap: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP,
        default: DEFAULT_OVERLAP,
        description: "How long the old key stays valid alongside the new one, in seconds",
        errorMessage: `a whole number of seconds from 0 to ${MAX_OVERLAP}`,
      }),
    ),
  },
  { title: "RotateApiKey", additionalProperties: false, bodyOptional: true, examples: [{ overlap: 3600 }] },
);

const fields = {
  id: idField("key", "key_01990a5e3c7e7000a1b2c3d4e5f60718"),
  object: objectField("api_key"),
  name: nullable(Type.String(), "The name given by the key's owner."),
  hint: Type.String({
    description: "The key, abbreviated",
    examples: ["sk_test_…1a2b"],
  }),
  access: oneOf(ACCESS, undefined, "The key's permissions (docs/api-keys.md)."),
  state: oneOf(
    ["active", "ending", "expired", "revoked"] as const,
    undefined,
    "Whether the key is valid: `ending` while its overlap lasts.",
  ),
  livemode: Livemode,
  replacedBy: nullable(Type.String(), "The id of the key that replaced this one."),
  lastUsed: nullable(UnixSeconds, "When the key was last used, to the minute, in Unix seconds."),
  expires: nullable(UnixSeconds, "When the key expires, in Unix seconds."),
  revoked: nullable(UnixSeconds, "When it was revoked, in Unix seconds."),
  created: described(UnixSeconds, "Creation time, in Unix seconds."),
};

export const ApiKey = Type.Object(fields, { title: "ApiKey" });

/** Returned only when a key is created. */
export const ApiKeyWithSecret = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description: "The key itself, returned only in this response.",
      examples: ["sk_test_7Qm0Vt3yX5…"],
    }),
  },
  { title: "ApiKeyWithSecret" },
);

export const ApiKeyList = listOf(ApiKey, "ApiKeyList");

export const ListKeysQuery = listQuery({});

export const showKey = (key: KeyRow): Static<typeof ApiKey> => ({
  id: key.id,
  object: "api_key",
  name: key.name,
  hint: key.hint,
  access: key.access,
  state: key.state,
  livemode: key.mode === "live",
  replacedBy: key.replacedBy,
  lastUsed: key.lastUsedAt && toUnixSeconds(key.lastUsedAt),
  expires: key.expiresAt && toUnixSeconds(key.expiresAt),
  revoked: key.revokedAt && toUnixSeconds(key.revokedAt),
  created: toUnixSeconds(key.createdAt),
});
