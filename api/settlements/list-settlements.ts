// Lists settlements, newest first, or retrieves one settlement. Filters: status, paymentIntentId, created.
import type { Static } from "@sinclair/typebox";
import { eq, type SQL } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import type { Call } from "../http/request-context.ts";
import { findOwn, listOwn } from "../lists/own-rows.ts";
import { createdIn } from "../lists/page.ts";
import { ofIntent } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { type ListSettlementsQuery, showSettlement } from "./schemas.ts";

export const SETTLEMENTS = { name: "settlement", table: payout };

export type Filters = Static<typeof ListSettlementsQuery>;

export const buildFilters = async (services: Services, call: Call, query: Filters): Promise<SQL[]> => [
  ...(query.status ? [eq(payout.state, query.status)] : []),
  ...(await ofIntent(services, call, payout.intentId, query.paymentIntentId)),
  ...createdIn(payout.createdAt, query.created),
];

export async function listSettlements(services: Services, call: Call, query: Filters) {
  const where = await buildFilters(services, call, query);
  return listOwn(services.database, SETTLEMENTS, call, { query, where, show: showSettlement });
}

export async function retrieveSettlement({ database }: Services, { caller, params }: Call) {
  return showSettlement(
    await findOwn(database, SETTLEMENTS, caller, { id: params.payoutId, param: "payoutId" }),
  );
}
