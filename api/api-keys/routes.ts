// The API keys' operations: for people who are signed in to the dashboard, not for keys.
import { invalidStatus, resourceMissing } from "#core/errors.ts";
import { get, type Operation, post } from "../http/operation.ts";
import { BAD_LIMIT } from "../http/refusals.ts";
import { createKey } from "./create-key.ts";
import { listKeys } from "./list-keys.ts";
import { revokeKey } from "./revoke-key.ts";
import { rotateKey } from "./rotate-key.ts";
import {
  ApiKey,
  ApiKeyList,
  ApiKeyWithSecret,
  CreateKeyBody,
  ListKeysQuery,
  RotateKeyBody,
} from "./schemas.ts";

const KEY_MISSING = resourceMissing("There is no API key 'key_…'.", "keyId");
const of = { tag: "API keys", userOnly: true as const };

export const apiKeyOperations: Operation[] = [
  post("/api-keys", createKey, {
    ...of,
    id: "createApiKey",
    summary: "Create an API key",
    description: "For users of the dashboard. The key itself is shown in this answer, and never again.",
    body: CreateKeyBody,
    example: { name: "Web shop", access: "no_release" },
    answer: ApiKeyWithSecret,
  }),
  get("/api-keys", listKeys, {
    ...of,
    id: "listApiKeys",
    summary: "List API keys",
    query: ListKeysQuery,
    answer: ApiKeyList,
    refusals: [BAD_LIMIT, resourceMissing("There is no API key 'key_…'.", "starting_after")],
  }),
  post("/api-keys/:keyId/rotate", rotateKey, {
    ...of,
    id: "rotateApiKey",
    summary: "Replace an API key",
    description:
      "The new key may do the same; the old one stays valid for the overlap (a day unless said otherwise).",
    body: RotateKeyBody,
    bodyOptional: true,
    example: { overlap: 3600 },
    answer: ApiKeyWithSecret,
    refusals: [KEY_MISSING, invalidStatus("The key 'key_…' is revoked: create another instead.")],
  }),
  post("/api-keys/:keyId/revoke", revokeKey, {
    ...of,
    id: "revokeApiKey",
    summary: "Revoke an API key",
    answer: ApiKey,
    refusals: [KEY_MISSING],
  }),
];
