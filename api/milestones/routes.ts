// The milestones' routes (spec, operations 9 and 10; design, section 4).
import { Elysia } from "elysia";
import { type ErrorStatus, operationsOf } from "../http/operation.ts";
import type { Services } from "../services.ts";
import { completeMilestone } from "./complete-milestone.ts";
import { createMilestone } from "./create-milestone.ts";
import { listMilestones, retrieveMilestone } from "./retrieve-milestones.ts";
import {
  CompletedEnvelope,
  CompleteMilestoneBody,
  CreateMilestoneBody,
  MilestoneEnvelope,
  MilestoneList,
} from "./schemas.ts";

const of = { tag: "Milestones", answer: MilestoneEnvelope, errors: [400, 401, 403, 404] as ErrorStatus[] };

export function milestoneRoutes(services: Services, documented: boolean) {
  const { get, post } = operationsOf(services, documented);
  const create = { ...of, summary: "Create a milestone", body: CreateMilestoneBody };
  const list = { ...of, summary: "List milestones", answer: MilestoneList };
  const retrieve = { ...of, summary: "Retrieve a milestone" };
  const complete = {
    ...of,
    needs: "release" as const,
    summary: "Complete a milestone",
    body: CompleteMilestoneBody,
    answer: CompletedEnvelope,
  };
  return new Elysia({ prefix: "/payment-intents/:intentId/escrow/milestones" })
    .post("", ...post(createMilestone, create))
    .get("", ...get(listMilestones, list))
    .get("/:milestoneId", ...get(retrieveMilestone, retrieve))
    .post("/:milestoneId/complete", ...post(completeMilestone, complete));
}
