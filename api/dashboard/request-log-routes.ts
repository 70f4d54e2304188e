// The request log of the merchant's API keys, for dashboard users. It is not part of /v1, because an API client
// that reads its own log would add entries to it.
import { inArray } from "drizzle-orm";
import { Elysia } from "elysia";
import { apiKey } from "#core/db/schema/merchants.ts";
import { requestLog } from "#core/db/schema/requests.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { queried } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { listOwn } from "../lists/own-rows.ts";
import { listQuery } from "../lists/schemas.ts";

const REQUESTS = { name: "request", table: requestLog };

export const requestLogRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false }).use(shared).get(
    "/dashboard/request-log",
    async ({ services, call, query }) => {
      const page = await listOwn(services.database, REQUESTS, call, { query, show: (row) => row });
      const keyIds = [...new Set(page.data.map(({ keyId }) => keyId))];
      const keys = await services.database
        .select({ id: apiKey.id, hint: apiKey.hint })
        .from(apiKey)
        .where(inArray(apiKey.id, keyIds));
      const hints = new Map(keys.map(({ id, hint }) => [id, hint]));
      const data = page.data.map(({ id, method, path, status, durationMs, requestId, keyId, createdAt }) => ({
        ...{ id, method, path, status, durationMs, requestId },
        key: hints.get(keyId) ?? keyId,
        created: toUnixSeconds(createdAt),
      }));
      return { ...page, data };
    },
    { access: { permission: "read", userOnly: true }, ...queried(listQuery({})) },
  );
