// Rejects operations that a payment intent's status, or the loss of its chain, does not allow.

import { invalidStateTransition } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import type { IntentStatus } from "#core/model/intent-status.ts";

/** @throws ServiceError 400 if the intent's chain no longer exists, so that nothing can be done with it */
export function requireMovable(view: IntentView): void {
  if (view.orphaned) {
    throw invalidStateTransition(
      "This payment intent belongs to a chain that no longer exists and is read-only.",
    );
  }
}

const UNFUNDED: IntentStatus[] = ["INITIATED", "REQUIRES_SIGNATURE", "PROCESSING", "REQUIRES_ACTION"];

/**
 * Only an order, or the relayer's own transaction, blocks further payment. A reported transaction does not: the
 * contract funds an order once, and an unmined one costs its sender nothing.
 * @param refusal such as "cannot be confirmed"
 * @throws ServiceError 400 `invalid_state_transition`
 */
export function requireUnfunded(view: IntentView, refusal: string): void {
  requireMovable(view);
  if (!UNFUNDED.includes(view.status) || view.order || view.relaying) {
    throw invalidStateTransition(`A payment intent in status ${view.status} ${refusal}.`);
  }
}
