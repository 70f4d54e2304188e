// List a merchant's payment intents, newest first (spec, operation 11; design, "list").
import { type Static, Type } from "@sinclair/typebox";
import { and, desc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { Caller } from "#core/api-keys.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { intent } from "#core/db/schema.ts";
import { INTENT_STATUSES, type IntentStatus } from "#core/intent/status.ts";
import { CURRENCIES } from "#core/money.ts";
import type { Call } from "../http/call.ts";
import { createdIn, limitOf } from "../http/page.ts";
import { oneFrom, parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { envelopeOf } from "./envelope.ts";
import { findIntentOf } from "./find.ts";
import { IntentEnvelope } from "./schemas.ts";

export const IntentList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(IntentEnvelope),
  has_more: Type.Boolean(),
  url: Type.String(),
});

type Page = { after: { createdAt: Date; id: string } | null; limit: number };
type Filters = { where: SQL[]; status: IntentStatus | undefined };

/** How many candidates are looked at before a page of a rare status is given back short. */
const MAX_ROUNDS = 20;

const KNOWN = ["limit", "starting_after", "status", "currency", "created"];

function filtersOf(query: ReturnType<typeof parseQuery>): Filters {
  const { fields, metadata } = query;
  const currency = oneFrom(CURRENCIES, fields.currency, "currency");
  const where = [
    ...(currency ? [eq(intent.currency, currency)] : []),
    ...createdIn(intent.createdAt, query),
    ...Object.entries(metadata).map(([key, value]) => sql`${intent.metadata} ->> ${key} = ${value}`),
  ];
  return { where, status: oneFrom(INTENT_STATUSES, fields.status, "status") };
}

/** Ids of candidates in order. `last_seen_status` only narrows them: it may lag behind what is derived. */
async function candidates({ database, deployment }: Services, caller: Caller, filters: Filters, page: Page) {
  const { after, limit } = page;
  const mayHaveStatus = filters.status
    ? // What can still change may have the status already without it being written down.
      [
        sql`(${intent.lastSeenStatus} = ${filters.status}
          or (${intent.deploymentId} = ${deployment.id} and ${intent.lastSeenStatus} not in ('FINAL', 'CANCELED')))`,
      ]
    : [];
  return database
    .select({ id: intent.id, createdAt: intent.createdAt })
    .from(intent)
    .where(
      and(
        eq(intent.merchantId, caller.merchantId),
        eq(intent.mode, caller.mode),
        ...(after
          ? [
              // The coarse bound uses the index; the tuple decides among intents of one moment.
              lte(intent.createdAt, after.createdAt),
              sql`(${intent.createdAt}, ${intent.id}) < (select c.created_at, c.id from gateway.intent c where c.id = ${after.id})`,
            ]
          : []),
        ...filters.where,
        ...mayHaveStatus,
      ),
    )
    .orderBy(desc(intent.createdAt), desc(intent.id))
    .limit(limit);
}

async function pageOf(
  services: Services,
  caller: Caller,
  filters: Filters,
  page: Page,
): Promise<IntentView[]> {
  const wanted = page.limit;
  const found: IntentView[] = [];
  let { after } = page;
  for (let round = 0; round < MAX_ROUNDS && found.length < wanted; round++) {
    const rows = await candidates(services, caller, filters, { after, limit: wanted });
    const views = await services.reader.findAll(rows.map((row) => row.id));
    const byId = new Map(views.map((view) => [view.intent.id, view]));
    for (const { id } of rows) {
      const view = byId.get(id);
      if (view && (!filters.status || view.status === filters.status)) found.push(view);
    }
    const last = rows.at(-1);
    if (!last || rows.length < wanted) break;
    after = { createdAt: roundedUp(last.createdAt), id: last.id };
  }
  return found.slice(0, wanted);
}

/** JavaScript's dates have milliseconds, the database's microseconds: a bound must not fall short of its row. */
const roundedUp = (moment: Date): Date => new Date(moment.getTime() + 1);

export async function listIntents(services: Services, call: Call): Promise<Static<typeof IntentList>> {
  const { caller, url } = call;
  const query = parseQuery(url.searchParams, KNOWN);
  const limit = limitOf(query.fields.limit);
  const filters = filtersOf(query);
  const cursor = query.fields.starting_after;
  const start = cursor === undefined ? undefined : await findIntentOf(services, caller, cursor);
  const after = start ? { createdAt: roundedUp(start.intent.createdAt), id: start.intent.id } : null;
  const views = await pageOf(services, caller, filters, { after, limit: limit + 1 });
  return {
    object: "list",
    data: views.slice(0, limit).map((view) => envelopeOf(view, services.config)),
    has_more: views.length > limit,
    url: url.pathname,
  };
}
