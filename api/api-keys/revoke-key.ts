// Revokes an API key from the dashboard, effective immediately. Idempotent.
import type { Static } from "@sinclair/typebox";
import { revokeKey as revokeMerchantKey } from "#core/api-keys/revoke-key.ts";
import { buildActor } from "../audit/record-operation.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { findOwnKey } from "./find-own-key.ts";
import { type ApiKey, showKey } from "./schemas.ts";

export async function revokeKey(services: Services, call: Call): Promise<Static<typeof ApiKey>> {
  const { caller } = call;
  const { id } = await findOwnKey(services, call);
  return services.database.transaction(async (tx) =>
    call.answer(tx, showKey(await revokeMerchantKey(tx, id, caller.merchantId, buildActor(caller)))),
  );
}
