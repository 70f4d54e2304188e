// Creates the handler of each work purpose. Work items are rows: track-orders.ts stores what derive-work.ts derives
// from the orders that a block has changed, triggers store what changes off chain, and work-loop.ts claims what is due
// and calls the handler.
import { createMissedMilestoneReleaser } from "./escrow/release-missed-milestones.ts";
import { createTimeLockReleaser } from "./escrow/release-time-locked.ts";
import { createDisputeResolver } from "./escrow/resolve-expired-disputes.ts";
import { createLateFundingReturner } from "./escrow/return-late-funding.ts";
import { createSettler } from "./escrow/settle-orders.ts";
import { createObserver } from "./events/observe.ts";
import { createPostingHandler } from "./ledger/post.ts";
import { createPayoutPlanner } from "./payouts/plan-payouts.ts";
import type { Context } from "./runtime/context.ts";
import type { WorkHandlers } from "./runtime/work-loop.ts";

export const createWorkHandlers = (context: Context): Required<WorkHandlers> => ({
  settle: createSettler(context),
  release_time_locked: createTimeLockReleaser(context),
  release_milestone: createMissedMilestoneReleaser(context),
  resolve_expired_dispute: createDisputeResolver(context),
  return_late_funding: createLateFundingReturner(context),
  plan_payouts: createPayoutPlanner(context),
  post_ledger: createPostingHandler(context),
  observe: createObserver(context),
});
