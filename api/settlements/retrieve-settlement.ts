// Retrieve a settlement.
import type { Static } from "@sinclair/typebox";
import { type Call, paramOf } from "../http/call.ts";
import type { Services } from "../services.ts";
import { findOwnSettlement } from "./find-settlements.ts";
import { type Settlement, showSettlement } from "./schemas.ts";

export async function retrieveSettlement(services: Services, call: Call): Promise<Static<typeof Settlement>> {
  return showSettlement(await findOwnSettlement(services, call, paramOf(call, "payoutId"), "payoutId"));
}
