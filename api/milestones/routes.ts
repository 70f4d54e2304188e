// The milestone operations: create and complete (spec, operations 9 and 10), list and retrieve.
import { Elysia } from "elysia";
import { invalidRequest, invalidRequestError, invalidStatus } from "#core/errors.ts";
import { answers, pathParams } from "../http/declare.ts";
import type { RouteMacros } from "../http/route-macros.ts";
import { CHAIN_UNAVAILABLE, INTENT_MISSING, NO_ESCROW } from "../payment-intents/documented-errors.ts";
import { completeMilestone } from "./complete-milestone.ts";
import { createMilestone } from "./create-milestone.ts";
import { milestoneMissing } from "./milestones.ts";
import { listMilestones, retrieveMilestone } from "./retrieve-milestones.ts";
import {
  CompletedEnvelope,
  CompleteMilestoneBody,
  CreateMilestoneBody,
  MilestoneEnvelope,
  MilestoneList,
} from "./schemas.ts";

const PATH = "/payment-intents/:intentId/escrow/milestones";
const MILESTONE_MISSING = milestoneMissing("milestone_…");

export const milestoneRoutes = (shared: RouteMacros) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post(PATH, async ({ services, call, body }) => createMilestone(services, call, body), {
      access: { permission: "write" },
      idempotent: true,
      audit: "milestone.create",
      params: pathParams("intentId"),
      body: CreateMilestoneBody,
      response: answers(MilestoneEnvelope, [
        NO_ESCROW,
        invalidRequest("Milestone 0 already exists.", "milestoneIndex"),
        invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
        invalidRequest(
          "Invalid amount: OFF_RAMP_TO_BANK supports at least 1.00 USDC, in steps of 0.01.",
          "amount",
        ),
        invalidStatus("A canceled payment intent cannot have milestones."),
        CHAIN_UNAVAILABLE,
        INTENT_MISSING,
      ]),
      detail: {
        operationId: "createMilestone",
        tags: ["Milestones"],
        summary: "Create a milestone",
        description:
          "Each milestone is paid out separately, so the settlement method must support both its amount and the amount " +
          "that remains of the order.",
      },
    })
    .get(PATH, async ({ services, call }) => listMilestones(services, call), {
      access: { permission: "read" },
      params: pathParams("intentId"),
      response: answers(MilestoneList, [NO_ESCROW, INTENT_MISSING]),
      detail: {
        operationId: "listMilestones",
        tags: ["Milestones"],
        summary: "List milestones",
        description: "Returns the milestones in the order in which they complete.",
      },
    })
    .get(`${PATH}/:milestoneId`, async ({ services, call }) => retrieveMilestone(services, call), {
      access: { permission: "read" },
      params: pathParams("intentId", "milestoneId"),
      response: answers(MilestoneEnvelope, [NO_ESCROW, INTENT_MISSING, MILESTONE_MISSING]),
      detail: {
        operationId: "retrieveMilestone",
        tags: ["Milestones"],
        summary: "Retrieve a milestone",
        description: "Returns the milestone with its release status from the chain.",
      },
    })
    .post(
      `${PATH}/:milestoneId/complete`,
      async ({ services, call, body }) => completeMilestone(services, call, body),
      {
        access: { permission: "release" },
        idempotent: true,
        audit: "milestone.complete",
        params: pathParams("intentId", "milestoneId"),
        body: CompleteMilestoneBody,
        response: answers(CompletedEnvelope, [
          NO_ESCROW,
          invalidRequest(
            "Milestones must be completed in order: milestone 0 is not completed.",
            "milestoneId",
          ),
          invalidStatus("The escrow order is not funded yet. Complete milestones once it is."),
          CHAIN_UNAVAILABLE,
          INTENT_MISSING,
          MILESTONE_MISSING,
        ]),
        detail: {
          operationId: "completeMilestone",
          tags: ["Milestones"],
          summary: "Complete a milestone",
          description:
            "Milestones complete in index order. If the payment releases automatically, the milestone's amount is released.",
        },
      },
    );
