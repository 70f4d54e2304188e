// Releases an order's funds manually after a valid delivery proof (spec, operation 7, rule 4): POST …/escrow/release.
import type { Static } from "@sinclair/typebox";
import { ORDER_STATUSES, RELEASE_TYPES } from "#core/chain/terms.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { Call } from "../http/request-context.ts";
import { requireFunded } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { relayOperation } from "./relay-operation.ts";
import { findOwnEscrow } from "./retrieve-escrow.ts";
import type { EscrowUpdate } from "./schemas.ts";

function requireReleasable(view: IntentView): void {
  const order = requireFunded(view);
  const { terms } = view;
  const type = RELEASE_TYPES[terms.releaseType];
  // An AUTO_RELEASE order that was proven during a dispute and then resumed can only be released by this call.
  if (type !== "DELIVERY_PROOF" && type !== "AUTO_RELEASE") {
    throw invalidRequest(
      `Funds of a ${type} payment cannot be released through the API. The payer can release them on chain.`,
    );
  }
  const status = ORDER_STATUSES[order.status];
  if (status !== "Delivered")
    throw invalidStatus(`Funds of an order in status ${status} cannot be released.`);
  if (!order.proven) throw invalidStatus("The order has no valid delivery proof. Submit one first.");
}

export async function releaseEscrow(services: Services, call: Call): Promise<Static<typeof EscrowUpdate>> {
  const view = await findOwnEscrow(services, call);
  return relayOperation(services, call, view, {
    purpose: "release",
    functionName: "release",
    require: requireReleasable,
    answer: { object: "conditional_payment", status: "released" },
  });
}
