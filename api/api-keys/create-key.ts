// Creates an API key for a user of the dashboard. Only this response and its idempotent replay contain
// the key itself.
import type { Static } from "@sinclair/typebox";
import { createKey as createMerchantKey } from "#core/api-keys/create-key.ts";
import { buildActor } from "../audit/record-operation.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { type ApiKeyWithSecret, type CreateKeyBody, showKey } from "./schemas.ts";

export async function createKey(
  services: Services,
  call: Call,
  body: Static<typeof CreateKeyBody>,
): Promise<Static<typeof ApiKeyWithSecret>> {
  const { caller } = call;
  const { name, access, expiresIn } = body;
  const facts = {
    name,
    access: access ?? "full",
    expiresAt: expiresIn === undefined ? undefined : new Date(Date.now() + expiresIn * 1000),
  };
  return services.database.transaction(async (tx) => {
    const prefix = caller.mode === "live" ? "sk_live_" : "sk_test_";
    const { secret, key } = await createMerchantKey(tx, caller.merchantId, prefix, facts, buildActor(caller));
    return call.answer(tx, { ...showKey(key), secret });
  });
}
