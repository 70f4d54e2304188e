// Retrieve a payment intent, with a key or as the public (spec, operations 2 and 3).
import type { Static } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { Call, PublicCall } from "../http/call.ts";
import type { Services } from "../services.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import { showExpanded } from "./expand.ts";
import type { ExpandedIntent, RetrieveIntentQuery } from "./expand-schemas.ts";
import { findIntent, findOwnIntent } from "./find.ts";
import type { PublicRetrieveQuery } from "./schemas.ts";

export async function retrieveIntent(
  services: Services,
  call: Call,
  query: Static<typeof RetrieveIntentQuery>,
): Promise<Static<typeof ExpandedIntent>> {
  const view = await findOwnIntent(services, call);
  const [shown = envelopeOf(view, services.config)] = await showExpanded(services, [view], query["expand[]"]);
  return shown;
}

/** `?payerAddress=0x…` shows the typed data with the payer filled in; it attaches nobody. */
export async function retrievePublicIntent(
  services: Services,
  call: PublicCall,
  { payerAddress }: Static<typeof PublicRetrieveQuery>,
): Promise<Envelope> {
  return envelopeOf(await findIntent(services, call), services.config, {
    audience: "public",
    payer: payerAddress && getAddress(payerAddress),
  });
}
