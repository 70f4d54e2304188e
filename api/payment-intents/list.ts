// List a merchant's payment intents, newest first (spec, operation 11; design, "list").
import type { Static } from "@sinclair/typebox";
import { and, desc, eq, inArray, ne, notInArray, type SQL } from "drizzle-orm";
import type { Caller } from "#core/api-keys.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema/intents.ts";
import type { IntentId } from "#core/ids.ts";
import { INTENT_STATUSES, type IntentStatus } from "#core/intent/status.ts";
import type { Call } from "../http/call.ts";
import { comesAfter, createdIn, limitOf, metadataIn, type Place } from "../http/page.ts";
import { oneFrom, parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { envelopeOf } from "./envelope.ts";
import { findIntentOf } from "./find.ts";
import { type IntentList, ListIntentsQuery } from "./schemas.ts";

type Filters = { where: SQL[]; status: IntentStatus | undefined };

/** For how many of his newest intents a merchant need not wait until the observer has written down what they became. */
const NEWEST = 200;

function filtersOf(query: ReturnType<typeof parseQuery>, currencies: readonly string[]): Filters {
  const { fields } = query;
  const currency = oneFrom(currencies, fields.currency, "currency");
  const where = [
    ...(currency ? [eq(intent.currency, currency)] : []),
    ...createdIn(intent.createdAt, query),
    ...metadataIn(intent.metadata, query),
  ];
  return { where, status: oneFrom(INTENT_STATUSES, fields.status, "status") };
}

/** The newest of a merchant's intents after the cursor that are as wanted. */
function newest({ database }: Services, caller: Caller, where: SQL[], after: Place | null, limit: number) {
  return database
    .select({ id: intent.id, createdAt: intent.createdAt })
    .from(intent)
    .where(
      and(
        eq(intent.merchantId, caller.merchantId),
        eq(intent.mode, caller.mode),
        ...(after ? comesAfter(intent, intent.id, after) : []),
        ...where,
      ),
    )
    .orderBy(desc(intent.createdAt), desc(intent.id))
    .limit(limit);
}

/**
 * Intents that have a status, newest first. `last_emitted_status` leads to them, and each is derived again; what the observer
 * has yet to write down is looked for among the newest.
 */
async function withStatus(
  services: Services,
  caller: Caller,
  { where, status }: Filters & { status: IntentStatus },
  start: Place | null,
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

  const untold = [
    ...where,
    ne(intent.lastEmittedStatus, status),
    notInArray(intent.lastEmittedStatus, ["FINAL", "CANCELED"]),
  ];
  await keep(await newest(services, caller, untold, start, NEWEST));
  const told = [...where, eq(intent.lastEmittedStatus, status)];
  let after = start;
  for (let missing = limit; missing > 0; ) {
    const rows = await newest(services, caller, told, after, missing);
    const last = rows.at(-1);
    if (!last) break;
    missing -= await keep(rows);
    after = last;
  }
  const rows = await services.database
    .select({ id: intent.id })
    .from(intent)
    .where(inArray(intent.id, [...found.keys()]))
    .orderBy(desc(intent.createdAt), desc(intent.id))
    .limit(limit);
  return rows.flatMap(({ id }) => found.get(id) ?? []);
}

async function pageOf(
  services: Services,
  caller: Caller,
  { where, status }: Filters,
  after: Place | null,
  limit: number,
): Promise<IntentView[]> {
  if (status) return withStatus(services, caller, { where, status }, after, limit);
  const ids = (await newest(services, caller, where, after, limit)).map(({ id }) => id);
  const views = new Map((await services.reader.findAll(ids)).map((view) => [view.intent.id, view]));
  return ids.flatMap((id) => views.get(id) ?? []);
}

export async function listIntents(services: Services, call: Call): Promise<Static<typeof IntentList>> {
  const { caller, url } = call;
  const query = parseQuery(url.searchParams, ListIntentsQuery);
  const limit = limitOf(query.fields.limit);
  const filters = filtersOf(query, Object.keys(services.deployment.tokens));
  const cursor = query.fields.starting_after;
  const start =
    cursor === undefined ? undefined : await findIntentOf(services, caller, cursor, "starting_after");
  const after = start?.intent ?? null;
  const views = await pageOf(services, caller, filters, after, limit + 1);
  return {
    object: "list",
    data: views.slice(0, limit).map((view) => envelopeOf(view, services.config)),
    has_more: views.length > limit,
    url: url.pathname,
  };
}
