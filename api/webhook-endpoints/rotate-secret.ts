// Rotates the secret of a webhook endpoint. Webhooks are signed with both secrets until the overlap ends, so
// that receivers can switch to the new secret without rejecting deliveries.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { returned } from "#core/db/returned.ts";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { toUnixSeconds } from "#core/model/unix-time.ts";
import { sealSecret } from "#core/webhooks/secret-box.ts";
import { newWebhookSecret } from "#core/webhooks/signature.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { findOwnEndpoint, lockOwnEndpoint, showEndpoint } from "./endpoints.ts";
import type { EndpointWithSecret, RotateSecretBody } from "./schemas.ts";

const DEFAULT_OVERLAP = 86_400;

export async function rotateSecret(
  services: Services,
  call: Call,
  body: Static<typeof RotateSecretBody>,
): Promise<Static<typeof EndpointWithSecret>> {
  await findOwnEndpoint(services, call);
  const until = new Date(Date.now() + (body.overlap ?? DEFAULT_OVERLAP) * 1_000);
  const secret = newWebhookSecret();
  return services.database.transaction(async (tx) => {
    const { id, secret: previousSecret } = await lockOwnEndpoint(tx, call);
    const row = returned(
      await tx
        .update(webhookEndpoint)
        .set({
          secret: sealSecret(services.config.webhooks.secretKeys, id, secret),
          previousSecret,
          previousSecretUntil: until,
          updatedAt: new Date(),
        })
        .where(eq(webhookEndpoint.id, id))
        .returning(),
    );
    return call.answer(tx, { ...showEndpoint(row), secret, previousSecretUntil: toUnixSeconds(until) });
  });
}
