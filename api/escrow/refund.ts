// Refund the payer in full, before a delivery was proven: POST …/escrow/refund. Released parts stay the merchant's.
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

function requireRefundable(view: IntentView): void {
  requireMovable(view);
  const { order } = view;
  if (!order) throw invalidStatus("The escrow order is not funded: cancel the payment intent instead.");
  const status = ORDER_STATUSES[order.status];
  if (status === "AwaitingSettlement" || status === "Completed" || status === "Cancelled") {
    throw invalidStatus(`An order in status ${status} cannot be refunded.`);
  }
  if (status === "Disputed" || order.proven) {
    throw invalidStatus(
      "After a valid proof or in a dispute only the merchant's own account can refund, by the contract's refund().",
    );
  }
}

export async function refundEscrow(services: Services, call: Call): Promise<Static<typeof EscrowMoved>> {
  const view = await findOwnEscrow(services, call);
  await requireNoBody(call);
  return relayOperation(services, call, view, {
    purpose: "refund",
    functionName: "refund",
    require: requireRefundable,
    answer: { object: "conditional_payment", status: "refunded" },
  });
}
