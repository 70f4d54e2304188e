// Retrieve a payment intent, with a key or as the public (spec, operations 2 and 3).
import type { Static } from "@sinclair/typebox";
import { getAddress, isAddress } from "viem";
import { invalidRequest } from "#core/errors.ts";
import type { Call, PublicCall } from "../http/call.ts";
import { parseQuery } from "../http/query.ts";
import type { Services } from "../services.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import { expansionIn, showExpanded } from "./expand.ts";
import { type ExpandedIntent, RetrieveIntentQuery } from "./expand-schemas.ts";
import { findIntent, findOwnIntent } from "./find.ts";

export async function retrieveIntent(services: Services, call: Call): Promise<Static<typeof ExpandedIntent>> {
  const { expand } = parseQuery(call.url.searchParams, RetrieveIntentQuery);
  const expansion = expansionIn(expand);
  const view = await findOwnIntent(services, call);
  const [shown = envelopeOf(view, services.config)] = await showExpanded(services, [view], expansion);
  return shown;
}

/** `?payerAddress=0x…` shows the typed data with the payer filled in; it attaches nobody. */
export async function retrievePublicIntent(services: Services, call: PublicCall): Promise<Envelope> {
  const view = await findIntent(services, call);
  const payer = call.url.searchParams.get("payerAddress");
  if (payer !== null && !isAddress(payer, { strict: false })) {
    throw invalidRequest(
      "Invalid payerAddress: expected an address: 0x and 40 hexadecimal characters.",
      "payerAddress",
    );
  }
  return envelopeOf(view, services.config, {
    audience: "public",
    payer: payer === null ? undefined : getAddress(payer),
  });
}
