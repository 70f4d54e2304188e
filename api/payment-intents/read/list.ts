// Lists a merchant's payment intents, newest first (spec, operation 11; docs/decisions/0003-reading-and-writing.md).
import type { Static } from "@sinclair/typebox";
import type { Call } from "../../http/request-context.ts";
import { parsePage, showPage } from "../../lists/page.ts";
import type { Services } from "../../services.ts";
import { findNamedIntent } from "../find.ts";
import { showExpanded } from "./expand.ts";
import { buildFilters, readIntents } from "./read-page.ts";
import type { ExpandedIntentList, ListExpandedIntentsQuery } from "./schemas.ts";

export async function listIntents(
  services: Services,
  { caller, url }: Call,
  query: Static<typeof ListExpandedIntentsQuery>,
): Promise<Static<typeof ExpandedIntentList>> {
  const page = parsePage(query);
  const filters = buildFilters(query, services.deployment);
  const { cursor, isBackward } = page;
  const start = cursor && (await findNamedIntent(services, caller, cursor.id, cursor.param));
  const views = await readIntents(
    services,
    caller,
    filters,
    { isBackward, place: start?.intent },
    page.limit + 1,
  );
  // The extra row, which only indicates that more rows follow, is not expanded.
  const shown = await showExpanded(services, views.slice(0, page.limit), query["expand[]"]);
  return { ...showPage(shown, page, (intent) => intent, url), has_more: views.length > page.limit };
}
