// Reads a page of a merchant's payment intents, newest first: all intents, intents with a status, or search
// results. The list and its export use this module (spec, operation 11;
// docs/decisions/0003-reading-and-writing.md).
import type { Static } from "@sinclair/typebox";
import { eq, inArray } from "drizzle-orm";
import type { Caller } from "#core/api-keys/api-keys.ts";
import { inSlices } from "#core/db/batch.ts";
import { intent } from "#core/db/schema/intents.ts";
import { invalidRequest } from "#core/errors.ts";
import type { IntentId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showMerchantStatus } from "#core/intent/show-merchant-status.ts";
import { INTENT_STATUSES, type IntentStatus } from "#core/model/intent-status.ts";
import { MERCHANT_STATUSES_OF } from "#core/model/merchant-status.ts";
import type { Start, StatusPair } from "../../lists/by-status.ts";
import { metadataIn, orderByPage } from "../../lists/page.ts";
import type { Services } from "../../services.ts";
import { type Conditions, findByStatus, selectNearest } from "./find-by-status.ts";
import type { ListExpandedIntentsQuery } from "./schemas.ts";
import { amongCandidates, findCandidates, isFoundBy, parseSearch, type Word } from "./search.ts";

type Query = Static<typeof ListExpandedIntentsQuery>;
type Filters = Conditions & { wanted: Partial<StatusPair>; words: Word[] | undefined };

/** Number of most recent intents that are found by status even if their status change has not been emitted yet. */
const NEAREST = 200;

const ENDED: ReadonlySet<IntentStatus> = new Set(["FINAL", "CANCELED"]);

const PAIRS: readonly StatusPair[] = INTENT_STATUSES.flatMap((status) =>
  MERCHANT_STATUSES_OF[status].map((merchantStatus) => ({ status, merchantStatus })),
);

const toPair = (view: IntentView): StatusPair => ({
  status: view.status,
  merchantStatus: showMerchantStatus(view),
});

const isWanted = ({ status, merchantStatus }: Partial<StatusPair>, pair: StatusPair): boolean =>
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
  await keep(await findByStatus(services, caller, { ...conditions, pairs: pending }, start, NEAREST));
  let { place } = start;
  for (let missing = limit; missing > 0; ) {
    const rows = await findByStatus(services, caller, { ...conditions, pairs }, { ...start, place }, missing);
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
