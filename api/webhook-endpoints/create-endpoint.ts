// Creates a webhook endpoint. Only this response contains its secret.
import type { Static } from "@sinclair/typebox";
import { and, count, eq } from "drizzle-orm";
import { returned } from "#core/db/returned.ts";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { invalidRequest } from "#core/errors.ts";
import { newId } from "#core/ids.ts";
import { sealSecret } from "#core/webhooks/secret-box.ts";
import { newWebhookSecret } from "#core/webhooks/signature.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { requireCallable, showEndpoint } from "./endpoints.ts";
import type { CreateEndpointBody, EndpointWithSecret } from "./schemas.ts";

/**
 * Maximum number of endpoints per account. Each event can go to every endpoint. The limit is high enough for all
 * systems of a merchant, but too low for an attack on a receiver.
 */
const MOST = 50;

export async function createEndpoint(
  services: Services,
  call: Call,
  body: Static<typeof CreateEndpointBody>,
): Promise<Static<typeof EndpointWithSecret>> {
  const { caller } = call;
  requireCallable(services, body.url);
  const { merchantId, mode } = caller;
  const id = newId("we");
  const secret = newWebhookSecret();
  return services.database.transaction(async (tx) => {
    const own = and(eq(webhookEndpoint.merchantId, merchantId), eq(webhookEndpoint.mode, mode));
    const [existing] = await tx.select({ number: count() }).from(webhookEndpoint).where(own);
    if (existing && existing.number >= MOST) {
      throw invalidRequest(
        `An account can have at most ${MOST} webhook endpoints. Delete one that is not needed.`,
      );
    }
    const row = returned(
      await tx
        .insert(webhookEndpoint)
        .values({
          id,
          merchantId,
          mode,
          url: body.url,
          description: body.description ?? null,
          enabledEvents: body.enabledEvents ?? ["*"],
          secret: sealSecret(services.config.webhooks.secretKeys, id, secret),
        })
        .returning(),
    );
    return call.answer(tx, { ...showEndpoint(row), secret, previousSecretUntil: null });
  });
}
