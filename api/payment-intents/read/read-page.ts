// Reads a page of a merchant's payment intents, newest first: all intents, intents with a status, or search
// results. The list and its export use this module (spec, operation 11;
// docs/decisions/0003-reading-and-writing.md).
import type { Static } from "@sinclair/typebox";
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { inSlices } from "#core/db/batch.ts";
import { isAmong } from "#core/db/is-among.ts";
import { intent, intentByStatus } from "#core/db/schema/intents.ts";
import { invalidRequest } from "#core/errors.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showMerchantStatus } from "#core/intent/show-merchant-status.ts";
import { INTENT_STATUSES, type IntentStatus } from "#core/model/intent-status.ts";
import { MERCHANT_STATUSES_OF, type MerchantStatus } from "#core/model/merchant-status.ts";
import { beside, createdIn, metadataIn, orderByPage, type Page, type RowPosition } from "../../lists/page.ts";
import type { Services } from "../../services.ts";
import type { ListExpandedIntentsQuery } from "./schemas.ts";
import { amongCandidates, findCandidates, isFoundBy, parseSearch, type Word } from "./search.ts";

type Query = Static<typeof ListExpandedIntentsQuery>;
/** The status of an intent. `intent_by_status` contains the status of the intent's last event. */
type Pair = { status: IntentStatus; merchantStatus: MerchantStatus };
/** Conditions on the intent, except for its creation time, which several tables contain. */
type Conditions = { where: SQL[]; created: Query["created"] };
type Filters = Conditions & { wanted: Partial<Pair>; words: Word[] | undefined };

/** Number of most recent intents that are found by status even if their status change has not been emitted yet. */
const NEAREST = 200;

const ENDED: ReadonlySet<IntentStatus> = new Set(["FINAL", "CANCELED"]);

const PAIRS: readonly Pair[] = INTENT_STATUSES.flatMap((status) =>
  MERCHANT_STATUSES_OF[status].map((merchantStatus) => ({ status, merchantStatus })),
);

const toPair = (view: IntentView): Pair => ({
  status: view.status,
  merchantStatus: showMerchantStatus(view),
});

const isWanted = ({ status, merchantStatus }: Partial<Pair>, pair: Pair): boolean =>
  (status ?? pair.status) === pair.status && (merchantStatus ?? pair.merchantStatus) === pair.merchantStatus;

/** @throws ServiceError 400 for an unknown currency */
export function buildFilters(query: Query, { tokens }: Services["deployment"]): Filters {
  const { currency, created, metadata, status, merchantStatus, query: text } = query;
  if (currency !== undefined && !Object.hasOwn(tokens, currency)) {
    throw invalidRequest(`Invalid currency: expected one of ${Object.keys(tokens).join(", ")}.`, "currency");
  }
  return {
    where: [...(currency ? [eq(intent.currency, currency)] : []), ...metadataIn(intent.metadata, metadata)],
    created,
    words: text === undefined ? undefined : parseSearch(text),
    wanted: { ...(status && { status }), ...(merchantStatus && { merchantStatus }) },
  };
}

type RowKey = { id: IntentId; createdAt: Date };

/** The direction and the start of a page. */
type Start = Pick<Page, "isBackward"> & { place: RowPosition | undefined };

/**
 * Selects a merchant's intents that match a condition, starting after a position: newest first, or oldest first
 * if the page is read backward.
 */
function selectNearest(
  { database }: Services,
  caller: Caller,
  { where, created }: Conditions,
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
        ...createdIn(intent.createdAt, created),
        ...(place ? beside(page, intent, intent.id, place) : []),
        ...where,
      ),
    )
    .orderBy(...orderByPage(page, intent.createdAt, intent.id))
    .limit(limit);
}

const LISTED = {
  id: intentByStatus.intentId,
  createdAt: intentByStatus.createdAt,
  status: intentByStatus.status,
  merchantStatus: intentByStatus.merchantStatus,
};
const CURSOR = { id: intent.id, createdAt: intent.createdAt, tieBreak: intent.id };

/** Like selectNearest, for the intents whose last event has this status. It does not read the intents. */
const selectListed = (
  { database }: Services,
  caller: Caller,
  { status, merchantStatus }: Pair,
  { created, place, ...page }: Start & Pick<Conditions, "created">,
  limit: number,
) =>
  database
    .select(LISTED)
    .from(intentByStatus)
    .where(
      and(
        eq(intentByStatus.merchantId, caller.merchantId),
        eq(intentByStatus.mode, caller.mode),
        eq(intentByStatus.merchantStatus, merchantStatus),
        eq(intentByStatus.status, status),
        ...createdIn(LISTED.createdAt, created),
        ...(place ? beside(page, LISTED, LISTED.id, place, CURSOR) : []),
      ),
    )
    .orderBy(...orderByPage(page, LISTED.createdAt, LISTED.id))
    .limit(limit);

/**
 * Finds the nearest intents whose last event has one of these statuses. Each pair is read separately through its
 * part of the key. A single query for all pairs would read all of the merchant's rows.
 * @param each the number of rows per pair
 */
async function findListed(
  services: Services,
  caller: Caller,
  pairs: readonly Pair[],
  start: Start & Pick<Conditions, "created">,
  each: number,
  limit: number,
) {
  const [first, second, ...rest] = pairs.map((pair) => selectListed(services, caller, pair, start, each));
  if (!first || !second) return first ?? [];
  const order = start.isBackward ? asc : desc;
  return unionAll(first, second, ...rest)
    .orderBy(order(sql`created_at`), order(sql`intent_id`))
    .limit(limit);
}

/** A status with fewer intents is rare: the other conditions are checked on each of them. */
const RARE = 1_000;

/**
 * Like findListed, with conditions on the intents. The intents of a rare status are read by their ids. For a frequent
 * status, PostgreSQL chooses the index, as without a status. In one query, it would join both tables completely.
 */
async function findMatching(
  services: Services,
  caller: Caller,
  { pairs, ...conditions }: Conditions & { pairs: readonly Pair[] },
  start: Start,
  limit: number,
): Promise<RowKey[]> {
  const { where, created } = conditions;
  const listed = await findListed(services, caller, pairs, { ...start, created }, RARE, RARE * pairs.length);
  const [rare, frequent] = [[] as IntentId[], [] as SQL[]];
  for (const pair of pairs) {
    const rows = listed.filter(
      (row) => row.status === pair.status && row.merchantStatus === pair.merchantStatus,
    );
    if (rows.length < RARE) rare.push(...rows.map(({ id }) => id));
    else
      frequent.push(
        and(
          eq(intent.lastEmittedStatus, pair.status),
          eq(intent.lastEmittedMerchantStatus, pair.merchantStatus),
        ) as SQL,
      );
  }
  const among = [...(rare.length > 0 ? [isAmong(intent.id, rare)] : []), ...frequent];
  const [first, second, ...rest] = among.map((condition) =>
    selectNearest(services, caller, { where: [...where, condition], created }, start, limit),
  );
  if (!first || !second) return first ?? [];
  const order = start.isBackward ? asc : desc;
  return unionAll(first, second, ...rest)
    .orderBy(order(sql`created_at`), order(sql`id`))
    .limit(limit);
}

/** Finds the nearest intents whose last event has one of these statuses, and that match the conditions. */
const findNearest = (
  services: Services,
  caller: Caller,
  { pairs, where, created }: Conditions & { pairs: readonly Pair[] },
  start: Start,
  limit: number,
): Promise<RowKey[]> =>
  where.length === 0
    ? findListed(services, caller, pairs, { ...start, created }, limit, limit)
    : findMatching(services, caller, { pairs, where, created }, start, limit);

/**
 * Reads intents with a status. They are found by the status of their last event, and their current status is
 * then verified. Intents whose status change has not been emitted yet are found among the most recent intents.
 */
async function withStatus(
  services: Services,
  caller: Caller,
  { wanted, ...conditions }: Conditions & Pick<Filters, "wanted">,
  start: Start,
  limit: number,
): Promise<IntentView[]> {
  const found = new Map<IntentId, IntentView>();
  /** @returns the number of intents that have the status */
  const keep = async (rows: { id: IntentId }[]): Promise<number> => {
    const views = await services.reader.findAll(rows.map(({ id }) => id));
    const confirmed = views.filter((view) => isWanted(wanted, toPair(view)));
    for (const view of confirmed) found.set(view.intent.id, view);
    return confirmed.length;
  };

  const pairs = PAIRS.filter((pair) => isWanted(wanted, pair));
  const pending = PAIRS.filter((pair) => !isWanted(wanted, pair) && !ENDED.has(pair.status));
  await keep(await findNearest(services, caller, { ...conditions, pairs: pending }, start, NEAREST));
  let { place } = start;
  for (let missing = limit; missing > 0; ) {
    const rows = await findNearest(services, caller, { ...conditions, pairs }, { ...start, place }, missing);
    const last = rows.at(-1);
    if (!last) break;
    missing -= await keep(rows);
    place = last;
  }
  const rows = await services.database
    .select({ id: intent.id })
    .from(intent)
    .where(inArray(intent.id, [...found.keys()]))
    .orderBy(...orderByPage(start, intent.createdAt, intent.id))
    .limit(limit);
  return rows.flatMap(({ id }) => found.get(id) ?? []);
}

/** Number of search candidates that are read at a time. */
const CANDIDATES = 25;

type Search = Conditions & Pick<Filters, "wanted"> & { words: Word[] };

/** Returns the candidates whose current state matches the search. */
async function foundAmong(
  services: Services,
  caller: Caller,
  { where, created, wanted, words }: Search,
  ids: IntentId[],
  start: Start,
  limit: number,
): Promise<IntentView[]> {
  if (ids.length === 0) return [];
  const rows = await selectNearest(
    services,
    caller,
    { where: [...where, amongCandidates(ids)], created },
    start,
    ids.length,
  );
  const views: IntentView[] = [];
  for (const some of inSlices(rows, CANDIDATES)) {
    const byId = new Map(
      (await services.reader.findAll(some.map(({ id }) => id))).map((view) => [view.intent.id, view]),
    );
    for (const { id } of some) {
      const view = byId.get(id);
      if (view && isFoundBy(words, view) && isWanted(wanted, toPair(view))) views.push(view);
    }
    if (views.length >= limit) break;
  }
  return views.slice(0, limit);
}

/** Returns the results from the first list of candidates that contains a match. */
async function found(
  services: Services,
  caller: Caller,
  search: Search,
  start: Start,
  limit: number,
): Promise<IntentView[]> {
  for (const ids of await findCandidates(services, caller, search.words)) {
    const views = await foundAmong(services, caller, search, ids, start, limit);
    if (views.length > 0) return views;
  }
  return [];
}

/** Reads the intents of a page, in reading order. */
export async function readIntents(
  services: Services,
  caller: Caller,
  { words, ...filters }: Filters,
  start: Start,
  limit: number,
): Promise<IntentView[]> {
  if (words) return found(services, caller, { ...filters, words }, start, limit);
  if (filters.wanted.status || filters.wanted.merchantStatus) {
    return withStatus(services, caller, filters, start, limit);
  }
  const ids = (await selectNearest(services, caller, filters, start, limit)).map(({ id }) => id);
  const views = new Map((await services.reader.findAll(ids)).map((view) => [view.intent.id, view]));
  return ids.flatMap((id) => views.get(id) ?? []);
}
