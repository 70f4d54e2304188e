// List webhook endpoints, newest first, or retrieve one.
import type { Static } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import type { Call } from "../http/call.ts";
import { beside, createdIn, inOrderOf, pageIn, showPage } from "../http/page.ts";
import { parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { findOwnEndpoint, showEndpoint } from "./endpoints.ts";
import { type Endpoint, type EndpointList, ListEndpointsQuery } from "./schemas.ts";

export async function retrieveEndpoint(services: Services, call: Call): Promise<Static<typeof Endpoint>> {
  return showEndpoint(await findOwnEndpoint(services, call));
}

export async function listEndpoints(services: Services, call: Call): Promise<Static<typeof EndpointList>> {
  const { caller, url } = call;
  const query = parseQuery(url.searchParams, ListEndpointsQuery);
  const page = pageIn(query);
  const { cursor } = page;
  const place = cursor && (await findOwnEndpoint(services, call, cursor.id, cursor.param));
  const rows = await services.database
    .select()
    .from(webhookEndpoint)
    .where(
      and(
        eq(webhookEndpoint.merchantId, caller.merchantId),
        eq(webhookEndpoint.mode, caller.mode),
        ...createdIn(webhookEndpoint.createdAt, query),
        ...(place ? beside(page, webhookEndpoint, webhookEndpoint.id, place) : []),
      ),
    )
    .orderBy(...inOrderOf(page, webhookEndpoint.createdAt, webhookEndpoint.id))
    .limit(page.limit + 1);
  return showPage(rows, page, showEndpoint, url);
}
