// Lists the milestones of an order, or retrieves one milestone.
import type { Static } from "@sinclair/typebox";
import { findOwnEscrow } from "../escrow/retrieve-escrow.ts";
import type { Call } from "../http/request-context.ts";
import type { Services } from "../services.ts";
import { loadMilestones, milestoneEnvelope, milestoneMissing, requireMilestones } from "./milestones.ts";
import type { MilestoneEnvelope, MilestoneList } from "./schemas.ts";

export async function listMilestones(services: Services, call: Call): Promise<Static<typeof MilestoneList>> {
  const view = await findOwnEscrow(services, call);
  requireMilestones(view);
  const rows = await loadMilestones(services.database, view);
  return {
    object: "list",
    data: rows.map((row) => milestoneEnvelope(view, row)),
    has_more: false,
    url: call.url.pathname,
  };
}

export async function retrieveMilestone(
  services: Services,
  call: Call,
): Promise<Static<typeof MilestoneEnvelope>> {
  const view = await findOwnEscrow(services, call);
  const row = (await loadMilestones(services.database, view)).find(
    ({ id }) => id === call.params.milestoneId,
  );
  if (!row) throw milestoneMissing(call.params.milestoneId);
  return milestoneEnvelope(view, row);
}
