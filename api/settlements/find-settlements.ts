// Finds settlements of the caller's merchant and mode: one by its id, or those that a query asks for, newest first.
import { and, eq, type SQL } from "drizzle-orm";
import { payout } from "#core/db/schema/payouts.ts";
import { forbidden, resourceMissing } from "#core/errors.ts";
import type { Call } from "../http/call.ts";
import { beside, createdIn, inOrderOf, type Page } from "../http/page.ts";
import { type ListQuery, oneFrom } from "../http/query.ts";
import { findIntentOf } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { SETTLEMENT_STATUSES } from "./schemas.ts";

export type PayoutRow = typeof payout.$inferSelect;

/** @throws ServiceError 404 if there is none, 403 if it is another merchant's (or the other mode's) */
export async function findOwnSettlement(
  { database }: Services,
  { caller }: Call,
  id: string,
  param: string,
): Promise<PayoutRow> {
  const [row] = await database.select().from(payout).where(eq(payout.id, id));
  if (!row) throw resourceMissing(`There is no settlement '${id.slice(0, 100)}'.`, param);
  if (row.merchantId !== caller.merchantId || row.mode !== caller.mode) {
    throw forbidden("This settlement belongs to another account or mode.");
  }
  return row;
}

/** What a query asks for, but where the page begins. */
export async function wantedBy(services: Services, { caller }: Call, query: ListQuery): Promise<SQL[]> {
  const { status, paymentIntentId } = query.fields;
  const state = oneFrom(SETTLEMENT_STATUSES, status, "status");
  const of =
    paymentIntentId === undefined
      ? undefined
      : await findIntentOf(services, caller, paymentIntentId, "paymentIntentId");
  return [
    eq(payout.merchantId, caller.merchantId),
    eq(payout.mode, caller.mode),
    ...(state ? [eq(payout.state, state)] : []),
    ...(of ? [eq(payout.intentId, of.intent.id)] : []),
    ...createdIn(payout.createdAt, query),
  ];
}

/** @param place the row that they lie beside: one of the page before, or of the page after where it is read backward */
export const readSettlements = (
  { database }: Services,
  where: SQL[],
  page: Pick<Page, "limit" | "isBackward">,
  place: PayoutRow | undefined,
): Promise<PayoutRow[]> =>
  database
    .select()
    .from(payout)
    .where(and(...where, ...(place ? beside(page, payout, payout.id, place) : [])))
    .orderBy(...inOrderOf(page, payout.createdAt, payout.id))
    .limit(page.limit);
