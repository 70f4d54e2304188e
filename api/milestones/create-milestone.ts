// Creates a milestone (spec, operation 9). Milestones can be planned before the order is funded.
import type { Static } from "@sinclair/typebox";
import { ORDER_STATUSES } from "#core/chain/terms.ts";
import { returned } from "#core/db/returned.ts";
import { milestone } from "#core/db/schema/intents.ts";
import { invalidRequest, invalidStatus } from "#core/errors.ts";
import { newId } from "#core/ids.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { formatAmount } from "#core/money.ts";
import { findAmountProblem } from "#core/off-ramp/quotes-and-limits.ts";
import { findOwnEscrow } from "../escrow/retrieve-escrow.ts";
import type { Call } from "../http/request-context.ts";
import { parseRequestAmount, requirePayable } from "../payment-intents/amount.ts";
import { lockIntent } from "../payment-intents/find.ts";
import { requireNotOrphaned } from "../payment-intents/require-status.ts";
import type { Services } from "../services.ts";
import { loadMilestones, milestoneEnvelope, requireMilestones } from "./milestones.ts";
import type { CreateMilestoneBody, MilestoneEnvelope } from "./schemas.ts";

function requirePlannable(view: IntentView): void {
  requireNotOrphaned(view);
  if (view.status === "CANCELED") throw invalidStatus("A canceled payment intent cannot have milestones.");
  const status = view.order && ORDER_STATUSES[view.order.status];
  if (status === "AwaitingSettlement" || status === "Completed" || status === "Cancelled") {
    throw invalidStatus(`Milestones cannot be added to an order in status ${status}.`);
  }
}

/** The remainder must be a valid payout amount as well. Otherwise, it could be released but not paid out. */
function requirePayableRest({ config }: Services, { intent }: IntentView, rest: bigint): void {
  const { settlementMethod: method, currency } = intent;
  const problem = rest > 0n && findAmountProblem(config, { method, currency, amount: rest });
  if (problem) {
    throw invalidRequest(
      `Invalid amount: it leaves ${formatAmount(rest, currency)} of the order's amount, but ${problem}.`,
      "amount",
    );
  }
}

export async function createMilestone(
  services: Services,
  call: Call,
  body: Static<typeof CreateMilestoneBody>,
): Promise<Static<typeof MilestoneEnvelope>> {
  const view = await findOwnEscrow(services, call);
  requireMilestones(view);
  const amount = parseRequestAmount(body.amount, view.intent.currency);
  requirePayable(services.config, view.intent, amount);
  return services.database.transaction(async (tx) => {
    const locked = await lockIntent(services, tx, view);
    requirePlannable(locked);
    const planned = await loadMilestones(tx, locked);
    if (planned.some((row) => row.milestoneIndex === body.milestoneIndex)) {
      throw invalidRequest(`Milestone ${body.milestoneIndex} already exists.`, "milestoneIndex");
    }
    const rest = planned.reduce((left, row) => left - row.amount, locked.terms.amount);
    if (amount > rest) {
      throw invalidRequest(
        `The milestones would exceed the order's amount: at most ${formatAmount(rest, locked.intent.currency)} remains.`,
        "amount",
      );
    }
    requirePayableRest(services, locked, rest - amount);
    const values = {
      id: newId("milestone"),
      merchantId: locked.intent.merchantId,
      intentId: locked.intent.id,
      milestoneIndex: body.milestoneIndex,
      description: body.description ?? null,
      amount,
      percentage: body.percentage ?? null,
    };
    const row = returned(await tx.insert(milestone).values(values).returning());
    return call.answer(tx, milestoneEnvelope(locked, { ...row, released: false }));
  });
}
