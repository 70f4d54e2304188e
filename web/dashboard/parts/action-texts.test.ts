// Tests that the audit log's texts do not claim more than their actions do.
import { expect, test } from "bun:test";
import type { AuditAction } from "#core/audit/actions.ts";
import { LANGUAGES } from "../../i18n/translate.ts";
import { actions } from "./action-texts.ts";

/** Actions that are recorded before their outcome is known. */
const REQUESTS: AuditAction[] = [
  ...(["payment_intent.cancel", "conditional_payment.release", "conditional_payment.refund"] as const),
  ...(["dispute.raise", "payout.retry", "payout.cancel", "payout.refresh", "payout.reorder"] as const),
  ...(["work.retry", "webhook.redeliver", "webhook_delivery.redeliver"] as const),
];

const REQUESTED = { en: "requested", de: "beauftragt" };

test.each(REQUESTS)("%s is a request, and its text does not claim that it was carried out", (action) => {
  for (const language of LANGUAGES) expect(actions[action][language]).toContain(REQUESTED[language]);
});
