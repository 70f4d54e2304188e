// List settlements, newest first. Filters: status, paymentIntentId, created.
import type { Static } from "@sinclair/typebox";
import type { Call } from "../http/call.ts";
import { pageIn, showPage } from "../http/page.ts";
import { parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { findOwnSettlement, readSettlements, wantedBy } from "./find-settlements.ts";
import { ListSettlementsQuery, type SettlementList, showSettlement } from "./schemas.ts";

export async function listSettlements(
  services: Services,
  call: Call,
): Promise<Static<typeof SettlementList>> {
  const query = parseQuery(call.url.searchParams, ListSettlementsQuery);
  const page = pageIn(query);
  const { cursor } = page;
  const place = cursor && (await findOwnSettlement(services, call, cursor.id, cursor.param));
  const where = await wantedBy(services, call, query);
  const rows = await readSettlements(services, where, { ...page, limit: page.limit + 1 }, place);
  return showPage(rows, page, showSettlement, call.url);
}
