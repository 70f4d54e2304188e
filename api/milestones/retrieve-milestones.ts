// List an order's milestones, or retrieve one (design, section 4).
import type { Static } from "@sinclair/typebox";
import { resourceMissing } from "#core/errors.ts";
import { findOwnEscrow } from "../escrow/retrieve-escrow.ts";
import type { Services } from "../services.ts";
import { milestoneEnvelope, milestonesOf, requireMilestones } from "./milestones.ts";
import type { MilestoneEnvelope, MilestoneList } from "./schemas.ts";

export async function listMilestones(
  services: Services,
  request: Request,
  id: string,
): Promise<Static<typeof MilestoneList>> {
  const caller = await services.authenticate(request);
  const view = await findOwnEscrow(services, caller, id);
  requireMilestones(view);
  const rows = await milestonesOf(services.database, view);
  return {
    object: "list",
    data: rows.map((row) => milestoneEnvelope(view, row)),
    has_more: false,
    url: new URL(request.url).pathname,
  };
}

export async function retrieveMilestone(
  services: Services,
  request: Request,
  id: string,
  milestoneId: string,
): Promise<Static<typeof MilestoneEnvelope>> {
  const caller = await services.authenticate(request);
  const view = await findOwnEscrow(services, caller, id);
  const row = (await milestonesOf(services.database, view)).find((candidate) => candidate.id === milestoneId);
  if (!row) throw resourceMissing("There is no such milestone.", "milestoneId");
  return milestoneEnvelope(view, row);
}
