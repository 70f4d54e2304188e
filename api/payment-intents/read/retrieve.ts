// Retrieves a payment intent (spec, operation 2).
import type { Static } from "@sinclair/typebox";
import type { Call } from "../../http/request-context.ts";
import type { Services } from "../../services.ts";
import { buildEnvelope } from "../envelope.ts";
import { findOwnIntent } from "../find.ts";
import { showExpanded } from "./expand.ts";
import type { ExpandedIntent, RetrieveIntentQuery } from "./schemas.ts";

export async function retrieveIntent(
  services: Services,
  call: Call,
  query: Static<typeof RetrieveIntentQuery>,
): Promise<Static<typeof ExpandedIntent>> {
  const view = await findOwnIntent(services, call);
  const [shown = buildEnvelope(view, services.config)] = await showExpanded(
    services,
    [view],
    query["expand[]"],
  );
  return shown;
}
