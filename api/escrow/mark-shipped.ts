// Mark an order shipped (design, "shipped"): POST …/escrow/ship.
import type { Static } from "@sinclair/typebox";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { invalidStatus } from "#core/errors.ts";
import { requireMovable } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { escrowOf, findOwnEscrow } from "./retrieve-escrow.ts";
import type { ConditionalPaymentEnvelope } from "./schemas.ts";

function requireShippable(view: IntentView): void {
  requireMovable(view);
  if (!view.order) throw invalidStatus("The escrow order is not funded yet: ship when it is.");
  const status = ORDER_STATUSES[view.order.status];
  if (status !== "Created") throw invalidStatus(`An order in status ${status} cannot be marked shipped.`);
}

export async function markShipped(
  services: Services,
  request: Request,
  id: string,
): Promise<Static<typeof ConditionalPaymentEnvelope>> {
  const caller = await services.authenticate(request);
  const view = await findOwnEscrow(services, caller, id);
  await relayOperation(services, view, {
    purpose: "mark_shipped",
    functionName: "markShipped",
    require: requireShippable,
  });
  return escrowOf(await findOwnEscrow(services, caller, id), services.config);
}
