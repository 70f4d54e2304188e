// List a merchant's payment intents, newest first (spec, operation 11; design, "list").
import type { Static } from "@sinclair/typebox";
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Caller } from "#core/api-keys/api-keys.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema/intents.ts";
import { invalidRequest } from "#core/errors.ts";
import type { IntentId } from "#core/ids.ts";
import { INTENT_STATUSES, type IntentStatus } from "#core/intent/status.ts";
import type { Call } from "../http/call.ts";
import {
  beside,
  createdIn,
  inOrderOf,
  metadataIn,
  type Page,
  type Place,
  pageIn,
  showPage,
} from "../lists/page.ts";
import { findIntentOf } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { showExpanded } from "./expand.ts";
import type { ExpandedIntentList, ListExpandedIntentsQuery } from "./schemas.ts";

type Query = Static<typeof ListExpandedIntentsQuery>;
type Filters = { where: SQL[]; status: IntentStatus | undefined };

/** For how many of the nearest intents a merchant need not wait until the change of their status is emitted. */
const NEAREST = 200;

const ENDED: ReadonlySet<IntentStatus> = new Set(["FINAL", "CANCELED"]);

function filtersOf(query: Query, { tokens }: Services["deployment"]): Filters {
  const { currency, created, metadata, status } = query;
  if (currency !== undefined && !Object.hasOwn(tokens, currency)) {
    throw invalidRequest(`Invalid currency: expected one of ${Object.keys(tokens).join(", ")}.`, "currency");
  }
  const where = [
    ...(currency ? [eq(intent.currency, currency)] : []),
    ...createdIn(intent.createdAt, created),
    ...metadataIn(intent.metadata, metadata),
  ];
  return { where, status };
}

/** A page's direction, and where it begins. */
type Start = Pick<Page, "isBackward"> & { place: Place | undefined };

/** A merchant's intents that are as wanted, from a place on: newest first, or oldest first on a page that is read backward. */
function nearest(
  { database }: Services,
  caller: Caller,
  where: SQL[],
  { place, ...page }: Start,
  limit: number,
) {
  return database
    .select({ id: intent.id, createdAt: intent.createdAt })
    .from(intent)
    .where(
      and(
        eq(intent.merchantId, caller.merchantId),
        eq(intent.mode, caller.mode),
        ...(place ? beside(page, intent, intent.id, place) : []),
        ...where,
      ),
    )
    .orderBy(...inOrderOf(page, intent.createdAt, intent.id))
    .limit(limit);
}

/**
 * The nearest intents whose last emitted status is another one that can change. Each of those is read by itself, along the
 * index of its status: together they would be looked for among all of the merchant's intents.
 */
async function nearestPending(
  services: Services,
  caller: Caller,
  { where, status }: Filters & { status: IntentStatus },
  start: Start,
): Promise<{ id: IntentId }[]> {
  const [first, second, ...rest] = INTENT_STATUSES.filter(
    (other) => other !== status && !ENDED.has(other),
  ).map((other) =>
    nearest(services, caller, [...where, eq(intent.lastEmittedStatus, other)], start, NEAREST),
  );
  if (!first || !second) throw new Error("Fewer than two statuses can change.");
  const order = start.isBackward ? asc : desc;
  return unionAll(first, second, ...rest)
    .orderBy(order(sql`created_at`), order(sql`id`))
    .limit(NEAREST);
}

/**
 * Intents that have a status. `last_emitted_status` leads to them, and each is derived again; those whose change is not
 * emitted yet are looked for among the nearest.
 */
async function withStatus(
  services: Services,
  caller: Caller,
  { where, status }: Filters & { status: IntentStatus },
  start: Start,
  limit: number,
): Promise<IntentView[]> {
  const found = new Map<IntentId, IntentView>();
  /** @returns how many have it */
  const keep = async (rows: { id: IntentId }[]): Promise<number> => {
    const views = await services.reader.findAll(rows.map(({ id }) => id));
    const confirmed = views.filter((view) => view.status === status);
    for (const view of confirmed) found.set(view.intent.id, view);
    return confirmed.length;
  };

  await keep(await nearestPending(services, caller, { where, status }, start));
  const emitted = [...where, eq(intent.lastEmittedStatus, status)];
  let { place } = start;
  for (let missing = limit; missing > 0; ) {
    const rows = await nearest(services, caller, emitted, { ...start, place }, missing);
    const last = rows.at(-1);
    if (!last) break;
    missing -= await keep(rows);
    place = last;
  }
  const rows = await services.database
    .select({ id: intent.id })
    .from(intent)
    .where(inArray(intent.id, [...found.keys()]))
    .orderBy(...inOrderOf(start, intent.createdAt, intent.id))
    .limit(limit);
  return rows.flatMap(({ id }) => found.get(id) ?? []);
}

async function read(
  services: Services,
  caller: Caller,
  { where, status }: Filters,
  start: Start,
  limit: number,
): Promise<IntentView[]> {
  if (status) return withStatus(services, caller, { where, status }, start, limit);
  const ids = (await nearest(services, caller, where, start, limit)).map(({ id }) => id);
  const views = new Map((await services.reader.findAll(ids)).map((view) => [view.intent.id, view]));
  return ids.flatMap((id) => views.get(id) ?? []);
}

export async function listIntents(
  services: Services,
  { caller, url }: Call,
  query: Query,
): Promise<Static<typeof ExpandedIntentList>> {
  const page = pageIn(query);
  const filters = filtersOf(query, services.deployment);
  const { cursor, isBackward } = page;
  const at = cursor && (await findIntentOf(services, caller, cursor.id, cursor.param));
  const views = await read(services, caller, filters, { isBackward, place: at?.intent }, page.limit + 1);
  // The one that shows that there are more is not expanded.
  const shown = await showExpanded(services, views.slice(0, page.limit), query["expand[]"]);
  return { ...showPage(shown, page, (intent) => intent, url), has_more: views.length > page.limit };
}
