// Updates the URL, event types, description and status of a webhook endpoint. While the endpoint is disabled, no
// deliveries are created for it, and pending deliveries wait.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { returned } from "#core/db/returned.ts";
import { webhookEndpoint } from "#core/db/schema/webhooks.ts";
import { wakeDeliveries } from "#core/events/record-events.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { findOwnEndpoint, lockOwnEndpoint, requireCallable, showEndpoint } from "./endpoints.ts";
import type { Endpoint, UpdateEndpointBody } from "./schemas.ts";

type Body = Static<typeof UpdateEndpointBody>;

const pickChanges = ({ url, enabledEvents, description, status }: Body) => ({
  ...(url === undefined ? {} : { url }),
  ...(enabledEvents === undefined ? {} : { enabledEvents }),
  ...(description === undefined ? {} : { description }),
  ...(status === "enabled" ? { status, disabledReason: null, pausedUntil: null } : {}),
  ...(status === "disabled" ? { status, disabledReason: "merchant" as const } : {}),
});

export async function updateEndpoint(
  services: Services,
  call: Call,
  body: Body,
): Promise<Static<typeof Endpoint>> {
  await findOwnEndpoint(services, call);
  if (body.url !== undefined) requireCallable(services, body.url);
  return services.database.transaction(async (tx) => {
    const { id } = await lockOwnEndpoint(tx, call);
    const row = returned(
      await tx
        .update(webhookEndpoint)
        .set({ ...pickChanges(body), updatedAt: new Date() })
        .where(eq(webhookEndpoint.id, id))
        .returning(),
    );
    if (body.status === "enabled") await wakeDeliveries(tx);
    return call.answer(tx, showEndpoint(row));
  });
}
