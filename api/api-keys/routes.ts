// The API key operations. They are only available to signed-in dashboard users, not to API keys.
import { Elysia } from "elysia";
import { invalidStatus, noSuch } from "#core/errors.ts";
import { NoBody } from "../http/body.ts";
import { answers, pathParams, queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { listRefusals } from "../lists/documented-errors.ts";
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

const KEY_MISSING = noSuch("API key", "key_…", "keyId");

export const apiKeyRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post("/api-keys", async ({ services, call, body }) => createKey(services, call, body), {
      access: { permission: "configure", userOnly: true },
      idempotent: true,
      body: CreateKeyBody,
      response: answers(ApiKeyWithSecret),
      detail: {
        operationId: "createApiKey",
        tags: ["API keys"],
        summary: "Create an API key",
        description: "For users of the dashboard. The key itself is returned only in this response.",
      },
    })
    .get("/api-keys", async ({ services, call, query }) => listKeys(services, call, query), {
      access: { permission: "read", userOnly: true },
      ...queried(ListKeysQuery),
      response: answers(
        ApiKeyList,
        listRefusals((param) => noSuch("API key", "key_…", param)),
      ),
      detail: {
        operationId: "listApiKeys",
        tags: ["API keys"],
        summary: "List API keys",
        description: "Returns the API keys of this mode, newest first, without the keys themselves.",
      },
    })
    .post("/api-keys/:keyId/rotate", async ({ services, call, body }) => rotateKey(services, call, body), {
      access: { permission: "configure", userOnly: true },
      idempotent: true,
      params: pathParams("keyId"),
      body: RotateKeyBody,
      response: answers(ApiKeyWithSecret, [
        KEY_MISSING,
        invalidStatus("The API key 'key_…' is revoked. Create a new key instead."),
      ]),
      detail: {
        operationId: "rotateApiKey",
        tags: ["API keys"],
        summary: "Replace an API key",
        description:
          "The new key has the same permissions. The old key stays valid for the overlap (one day by default).",
      },
    })
    .post("/api-keys/:keyId/revoke", async ({ services, call }) => revokeKey(services, call), {
      access: { permission: "configure", userOnly: true },
      idempotent: true,
      params: pathParams("keyId"),
      body: NoBody,
      response: answers(ApiKey, [KEY_MISSING]),
      detail: {
        operationId: "revokeApiKey",
        tags: ["API keys"],
        summary: "Revoke an API key",
        description: "The key stops working immediately. Safe to repeat.",
      },
    });
