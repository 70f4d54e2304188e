// List the merchant's API keys, newest first; what a key is, nobody can see again.
import type { Static } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { apiKey } from "#core/db/schema/merchants.ts";
import { shownOf } from "#core/keys/key.ts";
import type { Call } from "../http/call.ts";
import { beside, inOrderOf, pageIn, showPage } from "../http/page.ts";
import { parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { findOwnKey } from "./find-own-key.ts";
import { type ApiKeyList, ListKeysQuery, showKey } from "./schemas.ts";

export async function listKeys(services: Services, call: Call): Promise<Static<typeof ApiKeyList>> {
  const { caller, url } = call;
  const page = pageIn(parseQuery(url.searchParams, ListKeysQuery));
  const { cursor } = page;
  const place = cursor && (await findOwnKey(services, call, cursor.id, cursor.param));
  const rows = await services.database
    .select()
    .from(apiKey)
    .where(
      and(
        eq(apiKey.merchantId, caller.merchantId),
        eq(apiKey.mode, caller.mode),
        ...(place ? beside(page, apiKey, apiKey.id, place) : []),
      ),
    )
    .orderBy(...inOrderOf(page, apiKey.createdAt, apiKey.id))
    .limit(page.limit + 1);
  return showPage(rows, page, (row) => showKey(shownOf(row)), url);
}
