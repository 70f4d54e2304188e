// Mark an order shipped (design, "shipped"): POST …/escrow/ship.
import type { Static } from "@sinclair/typebox";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import type { IntentView } from "#core/db/read-intent.ts";
import { invalidStatus } from "#core/errors.ts";
import { requireNoBody } from "../http/body.ts";
import type { Call } from "../http/call.ts";
import { requireMovable } from "../payment-intents/find.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { EscrowMoved } from "./schemas.ts";

function requireShippable(view: IntentView): void {
  requireMovable(view);
  if (!view.order) throw invalidStatus("The escrow order is not funded yet: ship when it is.");
  const status = ORDER_STATUSES[view.order.status];
  if (status !== "Created") throw invalidStatus(`An order in status ${status} cannot be marked shipped.`);
}

export async function markShipped(services: Services, call: Call): Promise<Static<typeof EscrowMoved>> {
  const view = await findOwnEscrow(services, call);
  await requireNoBody(call);
  return relayOperation(services, call, view, {
    purpose: "mark_shipped",
    functionName: "markShipped",
    require: requireShippable,
    answer: { object: "conditional_payment", status: "shipped" },
  });
}
