// Sends a `webhook.test` event to one endpoint, regardless of its subscriptions.
import type { Static } from "@sinclair/typebox";
import { returned } from "#core/db/returned.ts";
import { event } from "#core/db/schema/events.ts";
import { webhookDelivery } from "#core/db/schema/webhooks.ts";
import { invalidStatus } from "#core/errors.ts";
import { wakeDeliveries } from "#core/events/record-events.ts";
import { newId } from "#core/ids.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { showDelivery } from "./deliveries.ts";
import { type EndpointRow, findOwnEndpoint, lockOwnEndpoint, showEndpoint } from "./endpoints.ts";
import type { Delivery } from "./schemas.ts";

export function requireEnabled({ status }: EndpointRow): void {
  if (status === "disabled") throw invalidStatus("This webhook endpoint is disabled. Enable it first.");
}

export async function sendTest(services: Services, call: Call): Promise<Static<typeof Delivery>> {
  const found = await findOwnEndpoint(services, call);
  requireEnabled(found);
  return services.database.transaction(async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, call);
    requireEnabled(endpoint);
    const { merchantId, mode } = endpoint;
    const emitted = returned(
      await tx
        .insert(event)
        .values({
          id: newId("evt"),
          merchantId,
          mode,
          type: "webhook.test",
          decidedBy: "",
          data: { object: showEndpoint(endpoint) },
        })
        .returning(),
    );
    const id = newId("delivery");
    await tx.insert(webhookDelivery).values({ id, merchantId, endpointId: endpoint.id, eventId: emitted.id });
    await wakeDeliveries(tx);
    return call.answer(tx, await showDelivery(tx, id));
  });
}
