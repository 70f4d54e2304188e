// Names of the actions in the audit log, in the form `object.verb`. Operations are in the imperative, changes and
// events in the past tense. An event is an entry of the log itself (core/db/schema/events.ts).
import { EVENT_TYPES } from "../model/event-data.ts";

const OPERATIONS = [
  "payment_intent.create",
  "payment_intent.update",
  "payment_intent.confirm",
  "payment_intent.cancel",
  "payment_intent.attach_payer",
  "payment_intent.report_transaction",
  "conditional_payment.ship",
  "conditional_payment.release",
  "conditional_payment.refund",
  "delivery_proof.submit",
  "dispute.raise",
  "dispute.resolve",
  "milestone.create",
  "milestone.complete",
  "payout.created",
  "payout.submitted",
  "payout.quarantined",
  "payout.reduced",
  "payout.retry",
  "payout.allow",
  "payout.cancel",
  "payout.confirm_debit",
  "payout.fail",
  "payout.refresh",
  "payout.move",
  "payout.reorder",
  "payout.settle_externally",
  "work.retry",
  "webhook.redeliver",
  "webhook_delivery.redeliver",
  "webhook_endpoint.create",
  "webhook_endpoint.update",
  "webhook_endpoint.delete",
  "webhook_endpoint.rotate_secret",
  "webhook_endpoint.test",
  "webhook_endpoint.disabled",
  "api_key.create",
  "api_key.rotate",
  "api_key.revoke",
  "user.create",
  "user.invite",
  "user.change_role",
  "user.delete",
  "user.create_link",
  "user.set_password",
  "user.end_session",
  "user.enable_two_factor",
  "user.disable_two_factor",
  "user.replace_backup_codes",
  "merchant.update",
  "deployment.change",
  "test_clock.advance",
] as const;

/** Events that the log does not list: a payout's states have entries of their own, and a test concerns no payment. */
export const UNLISTED_EVENTS: readonly string[] = EVENT_TYPES.filter((type) =>
  /^(payout|webhook)\./.test(type),
);

export const AUDIT_ACTIONS = [...OPERATIONS, ...EVENT_TYPES] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * Returns the action with this name, or otherwise every action whose name contains the text. An unlisted action is
 * found only by its full name.
 */
export function actionsNamed(text: string): string[] {
  if (AUDIT_ACTIONS.some((action) => action === text)) return [text];
  const containing = AUDIT_ACTIONS.filter((action) => action.includes(text.toLowerCase()));
  return containing.length > 0 ? containing : [text];
}
