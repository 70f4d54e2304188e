// The milestones' routes (spec, operations 9 and 10; design, section 4).
import { Elysia } from "elysia";
import { operation } from "../http/operation.ts";
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

const tag = "Milestones";
const errors: (400 | 401 | 403 | 404)[] = [400, 401, 403, 404];

export const milestoneRoutes = (services: Services, documented: boolean) =>
  new Elysia({ prefix: "/payment-intents/:intentId/escrow/milestones" })
    .post(
      "/",
      ({ request, params }) => createMilestone(services, request, params.intentId),
      operation(
        { summary: "Create a milestone", tag, body: CreateMilestoneBody, answer: MilestoneEnvelope, errors },
        documented,
      ),
    )
    .get(
      "/",
      ({ request, params }) => listMilestones(services, request, params.intentId),
      operation({ summary: "List milestones", tag, answer: MilestoneList, errors }, documented),
    )
    .get(
      "/:milestoneId",
      ({ request, params }) => retrieveMilestone(services, request, params.intentId, params.milestoneId),
      operation({ summary: "Retrieve a milestone", tag, answer: MilestoneEnvelope, errors }, documented),
    )
    .post(
      "/:milestoneId/complete",
      ({ request, params }) => completeMilestone(services, request, params.intentId, params.milestoneId),
      operation(
        {
          summary: "Complete a milestone",
          tag,
          body: CompleteMilestoneBody,
          answer: CompletedEnvelope,
          errors,
        },
        documented,
      ),
    );
