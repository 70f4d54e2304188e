// Retrieves a payment intent without a key (spec, operation 3).
import type { Static } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { PublicCall } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { buildEnvelope, type Envelope } from "./envelope.ts";
import { findIntent } from "./find.ts";
import type { PublicRetrieveQuery } from "./schemas.ts";

/** `?payerAddress=0x…` returns the typed data with this payer filled in, but does not attach the payer. */
export async function retrievePublicIntent(
  services: Services,
  call: PublicCall,
  { payerAddress }: Static<typeof PublicRetrieveQuery>,
): Promise<Envelope> {
  return buildEnvelope(await findIntent(services, call), services.config, {
    audience: "public",
    payer: payerAddress && getAddress(payerAddress),
  });
}
