// Rotates an API key from the dashboard. The new key has the same permissions, and the old key stays valid for
// the overlap.
import type { Static } from "@sinclair/typebox";
import { DEFAULT_OVERLAP, rotateKey as rotateMerchantKey } from "#core/api-keys/rotate-key.ts";
import { buildActor } from "../audit/record-operation.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { findOwnKey, refusing } from "./find-own-key.ts";
import { type ApiKeyWithSecret, type RotateKeyBody, showKey } from "./schemas.ts";

export async function rotateKey(
  services: Services,
  call: Call,
  body: Static<typeof RotateKeyBody>,
): Promise<Static<typeof ApiKeyWithSecret>> {
  const { caller } = call;
  const { id } = await findOwnKey(services, call);
  return services.database.transaction(async (tx) => {
    const overlap = body.overlap ?? DEFAULT_OVERLAP;
    const { secret, key } = await refusing(
      rotateMerchantKey(tx, id, overlap, caller.merchantId, buildActor(caller)),
    );
    return call.answer(tx, { ...showKey(key), secret });
  });
}
