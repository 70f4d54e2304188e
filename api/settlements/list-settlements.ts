// List settlements, newest first. Filters: status, paymentIntentId, created.
import type { Static } from "@sinclair/typebox";
import type { Call } from "../http/call.ts";
import { limitOf, pageOf } from "../http/page.ts";
import { parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { findOwnSettlement, settlementsAfter, wantedBy } from "./find-settlements.ts";
import { ListSettlementsQuery, type SettlementList, showSettlement } from "./schemas.ts";

export async function listSettlements(
  services: Services,
  call: Call,
): Promise<Static<typeof SettlementList>> {
  const query = parseQuery(call.url.searchParams, ListSettlementsQuery);
  const limit = limitOf(query.fields.limit);
  const cursor = query.fields.starting_after;
  if (cursor !== undefined) await findOwnSettlement(services, call, cursor, "starting_after");
  const rows = await settlementsAfter(services, await wantedBy(services, call, query), cursor, limit + 1);
  return pageOf(rows, limit, showSettlement, call.url);
}
