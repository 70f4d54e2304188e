// List webhook endpoints, newest first, or retrieve one.
import type { Static } from "@sinclair/typebox";
import { and, desc, eq, sql } from "drizzle-orm";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import type { Call } from "../http/call.ts";
import { createdIn, limitOf, pageOf } from "../http/page.ts";
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
  const limit = limitOf(query.fields.limit);
  const cursor = query.fields.starting_after;
  const after =
    cursor === undefined
      ? undefined
      : await findOwnEndpoint(services, { ...call, params: { endpointId: cursor } });
  const rows = await services.database
    .select()
    .from(webhookEndpoint)
    .where(
      and(
        eq(webhookEndpoint.merchantId, caller.merchantId),
        eq(webhookEndpoint.mode, caller.mode),
        ...createdIn(webhookEndpoint.createdAt, query),
        ...(after
          ? [
              sql`(${webhookEndpoint.createdAt}, ${webhookEndpoint.id}) < (select c.created_at, c.id from gateway.webhook_endpoint c where c.id = ${after.id})`,
            ]
          : []),
      ),
    )
    .orderBy(desc(webhookEndpoint.createdAt), desc(webhookEndpoint.id))
    .limit(limit + 1);
  return pageOf(rows, limit, showEndpoint, url);
}
