// Completes a milestone (spec, operation 10). Milestones complete strictly in index order. If the order releases
// automatically, the milestone's amount is released in the same step. Otherwise, the payer or the oracle
// releases it on chain.
import type { Static } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { isOpen, ORDER_STATUSES, operatorReleasesMilestones } from "#core/chain/terms.ts";
import type { Transaction } from "#core/db/client.ts";
import { milestone } from "#core/db/schema/intents.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import { recordEvents } from "#core/events/record-events.ts";
import { orderIdOfIntent } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { showMilestone } from "#core/intent/show-milestone.ts";
import { NOW, scheduleWork } from "#core/work/schedule-work.ts";
import { buildActor } from "../audit/record-operation.ts";
import { relayOperation } from "../escrow/relay-operation.ts";
import { findOwnEscrow } from "../escrow/retrieve-escrow.ts";
import type { Call } from "../http/request-context.ts";
import { lockIntent } from "../payment-intents/find.ts";
import { requireFunded } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { loadMilestones, type Milestone, milestoneMissing, requireMilestones } from "./milestones.ts";
import type { CompletedEnvelope, CompleteMilestoneBody } from "./schemas.ts";

type Body = Static<typeof CompleteMilestoneBody>;

function requireOpenOrder(view: IntentView): void {
  const order = requireFunded(view, "Complete milestones once it is.");
  const status = ORDER_STATUSES[order.status];
  if (!isOpen(status)) {
    throw invalidStatus(`Milestones of an order in status ${status} cannot be completed.`);
  }
}

/** Returns the milestone if it is the next to complete. @throws ServiceError otherwise */
function requireNext(milestones: Milestone[], milestoneId: string): Milestone {
  const row = milestones.find((candidate) => candidate.id === milestoneId);
  if (!row) throw milestoneMissing(milestoneId);
  if (row.released) throw invalidRequest("This milestone is already released.", "milestoneId");
  if (row.completedAt) throw invalidRequest("This milestone is already completed.", "milestoneId");
  const index = row.milestoneIndex;
  const previous = milestones.find((candidate) => candidate.milestoneIndex === index - 1);
  if (index > 0 && !previous?.completedAt && !previous?.released) {
    throw invalidRequest(
      `Milestones must be completed in order: milestone ${index - 1} is not completed.`,
      "milestoneId",
    );
  }
  return row;
}

/** Returns the cumulative amount up to and including this milestone, in the smallest unit. */
const cumulativeAmount = (milestones: Milestone[], last: Milestone): bigint =>
  milestones
    .filter(({ milestoneIndex }) => milestoneIndex <= last.milestoneIndex)
    .reduce((total, { amount }) => total + amount, 0n);

async function recordCompletion(
  tx: Transaction,
  { caller }: Call,
  view: IntentView,
  milestoneId: string,
  body: Body,
): Promise<void> {
  const row = requireNext(await loadMilestones(tx, view), milestoneId);
  const completion = {
    completedAt: new Date(),
    completedBy: body.completedBy,
    completionProof: body.completionProof ?? null,
    completionProofUri: body.completionProofURI ?? null,
  };
  await tx.update(milestone).set(completion).where(eq(milestone.id, milestoneId));
  // If the release is lost, a worker repeats it.
  const { id, merchantId, deploymentId } = view.intent;
  const orderId = orderIdOfIntent(id);
  await scheduleWork(tx, deploymentId, [{ orderId, merchantId, purpose: "release_milestone", ...NOW }]);
  const shown = showMilestone(view, { ...row, ...completion });
  await recordEvents(tx, view.intent, [
    {
      type: "milestone.completed",
      decidedBy: milestoneId,
      actor: buildActor(caller),
      data: {
        object: { object: "milestone", ...shown, ...completionShown(body) },
        previousAttributes: { status: "PENDING" },
      },
    },
  ]);
}

const completionShown = ({ completedBy, completionProof, completionProofURI }: Body) => ({
  completedBy,
  completionProof: completionProof ?? null,
  completionProofURI: completionProofURI ?? null,
});

export async function completeMilestone(
  services: Services,
  call: Call,
  body: Body,
): Promise<Static<typeof CompletedEnvelope>> {
  const view = await findOwnEscrow(services, call);
  const milestoneId = call.params.milestoneId;
  requireMilestones(view);
  const milestones = await loadMilestones(services.database, view);
  const row = requireNext(milestones, milestoneId);
  requireOpenOrder(view);
  const answer = async (tx: Transaction, locked: IntentView) => {
    await recordCompletion(tx, call, locked, milestoneId, body);
    return { object: "milestone", status: "completed" } as const;
  };
  if (operatorReleasesMilestones(view.terms)) {
    return relayOperation(services, call, view, {
      purpose: "release_milestone",
      functionName: "releaseMilestone",
      args: [cumulativeAmount(milestones, row)],
      require: requireOpenOrder,
      answer: (tx, _attempt, locked) => answer(tx, locked),
    });
  }
  return services.database.transaction(async (tx) => {
    const locked = await lockIntent(services, tx, view);
    requireOpenOrder(locked);
    return call.answer(tx, await answer(tx, locked));
  });
}
