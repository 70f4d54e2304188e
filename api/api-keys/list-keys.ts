// List the merchant's API keys, newest first; what a key is, nobody can see again.
import type { Static } from "@sinclair/typebox";
import { and, desc, eq, sql } from "drizzle-orm";
import { apiKey } from "#core/db/schema/merchants.ts";
import { shownOf } from "#core/keys/key.ts";
import type { Call } from "../http/call.ts";
import { limitOf, pageOf } from "../http/page.ts";
import { parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { findOwnKey } from "./find-own-key.ts";
import { type ApiKeyList, ListKeysQuery, showKey } from "./schemas.ts";

export async function listKeys(services: Services, call: Call): Promise<Static<typeof ApiKeyList>> {
  const { caller, url } = call;
  const { fields } = parseQuery(url.searchParams, ListKeysQuery);
  const limit = limitOf(fields.limit);
  const cursor = fields.starting_after;
  const after = cursor === undefined ? undefined : await findOwnKey(services, call, cursor, "starting_after");
  const rows = await services.database
    .select()
    .from(apiKey)
    .where(
      and(
        eq(apiKey.merchantId, caller.merchantId),
        eq(apiKey.mode, caller.mode),
        ...(after
          ? [
              sql`(${apiKey.createdAt}, ${apiKey.id}) < (select c.created_at, c.id from gateway.api_key c where c.id = ${after.id})`,
            ]
          : []),
      ),
    )
    .orderBy(desc(apiKey.createdAt), desc(apiKey.id))
    .limit(limit + 1);
  return pageOf(rows, limit, (row) => showKey(shownOf(row)), url);
}
