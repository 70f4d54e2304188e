// Lists webhook endpoints, newest first, or retrieves one endpoint.
import type { Static } from "@sinclair/typebox";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import type { Call } from "../http/request-context.ts";
import { listOwn } from "../lists/own-rows.ts";
import { createdIn } from "../lists/page.ts";
import type { Services } from "../services.ts";
import { ENDPOINTS, findOwnEndpoint, showEndpoint } from "./endpoints.ts";
import type { Endpoint, ListEndpointsQuery } from "./schemas.ts";

export async function retrieveEndpoint(services: Services, call: Call): Promise<Static<typeof Endpoint>> {
  return showEndpoint(await findOwnEndpoint(services, call));
}

export const listEndpoints = ({ database }: Services, call: Call, query: Static<typeof ListEndpointsQuery>) =>
  listOwn(database, ENDPOINTS, call, {
    ...{ query, show: showEndpoint },
    where: createdIn(webhookEndpoint.createdAt, query.created),
  });
