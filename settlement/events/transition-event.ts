// Builds the event of a transition, with the intent as it was right after the transition.
import { getAddress } from "viem";
import type { Config } from "#core/config/config.ts";
import type { Draft } from "#core/events/record-events.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showChangingIntentData } from "#core/intent/show-intent.ts";
import type { EventType } from "#core/model/event-data.ts";
import type { IntentSettlementStatus, IntentStatus } from "#core/model/intent-status.ts";

/** Settlement status for each status that the payment has already left when the event is emitted. */
const PASSED: Partial<Record<IntentStatus, IntentSettlementStatus>> = {
  PROCESSING: "PENDING",
  SUCCEEDED: "IN_PROGRESS",
  SETTLED: "COMPLETED",
};

function viewAt(view: IntentView, status: IntentStatus): IntentView {
  const now = Math.floor(Date.now() / 1000);
  const settlementStatus =
    status === view.status ? view.settlementStatus : (PASSED[status] ?? view.settlementStatus);
  const succeededAt = view.emitted.succeededAt ?? (status === "SUCCEEDED" ? now : null);
  return {
    ...view,
    status,
    settlementStatus,
    emitted: { ...view.emitted, succeededAt },
    updated: Math.max(view.updated, now),
  };
}

export function transitionEvent(
  view: IntentView,
  config: Pick<Config, "chain" | "paymentPageUrl">,
  step: { type: string; from: IntentStatus; to: IntentStatus },
  decidedBy: string,
): Draft {
  const { type, from, to } = step;
  const payer = view.order?.payer ?? view.intent.signer ?? view.intent.payer;
  const byPayer = (to === "PROCESSING" || to === "REQUIRES_SIGNATURE") && payer;
  return {
    type: type as EventType,
    from,
    to,
    decidedBy,
    data: {
      object: showChangingIntentData(viewAt(view, to), config),
      ...(from === to ? {} : { previousAttributes: { status: from } }),
    },
    ...(byPayer ? { actor: { type: "payer", id: getAddress(payer) } } : {}),
  };
}
