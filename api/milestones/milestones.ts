// The planned milestones of an order, with their on-chain release state.
import type { Static } from "@sinclair/typebox";
import { asc, eq } from "drizzle-orm";
import { RELEASE_TYPES } from "#core/chain/terms.ts";
import type { Database, Transaction } from "#core/db/client.ts";
import { milestone } from "#core/db/schema/intents.ts";
import { invalidRequest, noSuch, type ServiceError } from "#core/errors.ts";
import type { IntentView } from "#core/intent/read-intent.ts";
import { markReleased, showMilestone } from "#core/intent/show-milestone.ts";
import type { MilestoneEnvelope } from "./schemas.ts";

export type Milestone = typeof milestone.$inferSelect & { released: boolean };

/** @throws ServiceError 400 unless the order is released by milestones */
export function requireMilestones(view: IntentView): void {
  if (RELEASE_TYPES[view.terms.releaseType] !== "MILESTONE_LOCKED") {
    throw invalidRequest("This payment has no milestones: its releaseType is not MILESTONE_LOCKED.");
  }
}

export const milestoneMissing = (id = ""): ServiceError => noSuch("milestone", id, "milestoneId");

/** Loads the milestones of an order, in index order. */
export async function loadMilestones(
  database: Database | Transaction,
  view: IntentView,
): Promise<Milestone[]> {
  const planned = await database
    .select()
    .from(milestone)
    .where(eq(milestone.intentId, view.intent.id))
    .orderBy(asc(milestone.milestoneIndex));
  return markReleased(planned, view.order);
}

export const milestoneEnvelope = (view: IntentView, row: Milestone): Static<typeof MilestoneEnvelope> => ({
  id: row.id,
  object: "milestone",
  data: showMilestone(view, row),
});
