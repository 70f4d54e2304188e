// Marks an order as shipped: POST …/escrow/ship.
import type { Static } from "@sinclair/typebox";
import { hasIndependentOracle, ORDER_STATUSES } from "#core/chain/terms.ts";
import { invalidRequest, invalidStatus, signatureVerificationFailed } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { decodeRevertName, operationRefused } from "../contract-errors.ts";
import type { Call } from "../http/request-context.ts";
import { requireMovable } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { EscrowUpdate, ShipBody } from "./schemas.ts";
import { SHIPMENT } from "./signed-messages.ts";

function requireShippable(view: IntentView): void {
  requireMovable(view);
  if (!view.order)
    throw invalidStatus("The escrow order is not funded yet. Mark it shipped once it is funded.");
  const status = ORDER_STATUSES[view.order.status];
  if (status !== "Created") throw invalidStatus(`An order in status ${status} cannot be marked shipped.`);
}

const oracleRefused = (error: unknown) =>
  decodeRevertName(error) === "SignatureNotValid"
    ? signatureVerificationFailed(
        "The oracleSignature is not the deliveryOracle's signature over this order's Shipment.",
        "oracleSignature",
      )
    : operationRefused(error);

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
