// Marks an order as shipped: POST …/escrow/ship.
import type { Static } from "@sinclair/typebox";
import { hasIndependentOracle, ORDER_STATUSES } from "#core/chain/terms.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { signatureRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import { requireFunded } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { EscrowUpdate, ShipBody } from "./schemas.ts";
import { SHIPMENT } from "./signed-messages.ts";

function requireShippable(view: IntentView): void {
  const order = requireFunded(view, "Mark it shipped once it is funded.");
  const status = ORDER_STATUSES[order.status];
  if (status !== "Created") throw invalidStatus(`An order in status ${status} cannot be marked shipped.`);
}

const oracleRefused = signatureRefused(
  "The oracleSignature is not the deliveryOracle's signature over this order's Shipment.",
  "oracleSignature",
);

/** If a third party confirms the delivery, it must also sign the shipment (docs/release-types.md). */
function requireOracleSignature({ terms, order }: IntentView, signature: string | undefined): void {
  const oracleRequired = order !== null && hasIndependentOracle(terms, order.payer);
  if (oracleRequired && signature === undefined) {
    throw invalidRequest(
      "This order's deliveryOracle must sign the shipment. Send oracleSignature, the oracle's EIP-712 signature over " +
        `${SHIPMENT}, or have the oracle call the contract's markShipped.`,
      "oracleSignature",
    );
  }
  if (!oracleRequired && signature !== undefined) {
    throw invalidRequest(
      "This order has no independent deliveryOracle. Omit oracleSignature.",
      "oracleSignature",
    );
  }
}

export async function markShipped(
  services: Services,
  call: Call,
  body: Static<typeof ShipBody>,
): Promise<Static<typeof EscrowUpdate>> {
  const view = await findOwnEscrow(services, call);
  const { oracleSignature } = body;
  requireShippable(view);
  requireOracleSignature(view, oracleSignature);
  return relayOperation(services, call, view, {
    purpose: "mark_shipped",
    ...(oracleSignature === undefined
      ? { functionName: "markShipped" }
      : { functionName: "markShippedFor", args: [oracleSignature], refused: oracleRefused }),
    require: requireShippable,
    answer: { object: "conditional_payment", status: "shipped" },
  });
}
