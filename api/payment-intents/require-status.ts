// Rejects operations that are not allowed in a payment intent's status, or because its chain no longer exists.
import type { OrderRow } from "#core/db/chain.ts";
import { invalidStateTransition, invalidStatus } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";

/** @throws ServiceError 400 if the intent's chain no longer exists */
export function requireNotOrphaned(view: IntentView): void {
  if (view.orphaned) {
    throw invalidStateTransition(
      "This payment intent belongs to a chain that no longer exists and is read-only.",
    );
  }
}

/**
 * @param hint what to do once the order is funded
 * @throws ServiceError 400 if the order is not funded, or its chain no longer exists
 */
export function requireFunded(view: IntentView, hint = ""): OrderRow {
  requireNotOrphaned(view);
  if (!view.order) throw invalidStatus(`The escrow order is not funded yet. ${hint}`.trimEnd());
  return view.order;
}

const UNFUNDED: IntentStatus[] = ["INITIATED", "REQUIRES_SIGNATURE", "PROCESSING", "REQUIRES_ACTION"];

/**
 * Only an order or a transaction of the relayer prevents another payment. A reported transaction does not,
 * because the contract funds an order only once, and a transaction that is never mined costs its sender nothing.
 * @param refusal such as "cannot be confirmed"
 * @throws ServiceError 400 `invalid_state_transition`
 */
export function requireUnfunded(view: IntentView, refusal: string): void {
  requireNotOrphaned(view);
  if (!UNFUNDED.includes(view.status) || view.order || view.relaying) {
    throw invalidStateTransition(`A payment intent in status ${view.status} ${refusal}.`);
  }
}
