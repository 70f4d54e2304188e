// Redelivers an event immediately, with a new retry schedule. The receiver recognizes the event by its webhook-id.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { webhookDelivery } from "#core/db/schema/webhooks.ts";
import { wakeDeliveries } from "#core/events/record-events.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { findDelivery, showDelivery } from "./deliveries.ts";
import { findOwnEndpoint, lockOwnEndpoint } from "./endpoints.ts";
import type { Delivery } from "./schemas.ts";
import { requireEnabled } from "./send-test.ts";

export async function redeliver(services: Services, call: Call): Promise<Static<typeof Delivery>> {
  const found = await findOwnEndpoint(services, call);
  requireEnabled(found);
  return services.database.transaction(async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, call);
    requireEnabled(endpoint);
    const { id, lease } = await findDelivery(tx, endpoint.id, call.params.deliveryId);
    // An attempt that is in progress will deliver the event anyway.
    if (lease === null) {
      await tx
        .update(webhookDelivery)
        .set({ status: "pending", attempts: 0, nextAttemptAt: new Date() })
        .where(eq(webhookDelivery.id, id));
    }
    await wakeDeliveries(tx);
    return call.answer(tx, await showDelivery(tx, id));
  });
}
