// Deletes a webhook endpoint, including its delivery log.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { lockOwnEndpoint } from "./endpoints.ts";
import type { DeletedEndpoint } from "./schemas.ts";

export async function deleteEndpoint(
  services: Services,
  call: Call,
): Promise<Static<typeof DeletedEndpoint>> {
  return services.database.transaction(async (tx) => {
    const { id } = await lockOwnEndpoint(tx, call);
    await tx.delete(webhookEndpoint).where(eq(webhookEndpoint.id, id));
    return call.answer(tx, { id, object: "webhook_endpoint", deleted: true });
  });
}
