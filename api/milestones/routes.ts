// The milestones' operations (spec, operations 9 and 10; design, section 4).
import { Elysia } from "elysia";
import { invalidRequest, invalidRequestError, invalidStatus, resourceMissing } from "#core/errors.ts";
import { answer, describe } from "../http/describe.ts";
import type { Gateway } from "../http/gateway.ts";
import { CHAIN_GONE, INTENT_MISSING, NO_ESCROW } from "../http/refusals.ts";
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

const PATH = "/payment-intents/:intentId/escrow/milestones";
const MILESTONE_MISSING = resourceMissing("There is no such milestone.", "milestoneId");

export const milestoneRoutes = (shared: Gateway) =>
  new Elysia({ normalize: false })
    .use(shared)
    .post(PATH, async ({ network, call, body }) => createMilestone(network, call, body), {
      access: { permission: "write" },
      idempotent: true,
      audit: "milestone.create",
      body: CreateMilestoneBody,
      response: answer(MilestoneEnvelope),
      detail: describe({
        id: "createMilestone",
        tag: "Milestones",
        summary: "Create a milestone",
        description:
          "Each milestone is paid out by itself: its amount, and what it leaves of the order, are amounts that the settlement " +
          "method carries.",
        example: { milestoneIndex: 0, description: "Design", amount: "40.00", percentage: 40 },
        refusals: [
          NO_ESCROW,
          invalidRequest("Milestone 0 exists already.", "milestoneIndex"),
          invalidRequestError("Invalid amount: it must be greater than zero.", "amount"),
          invalidRequest(
            "Invalid amount: OFF_RAMP_TO_BANK carries at least 1.00 USDC, in steps of 0.01.",
            "amount",
          ),
          invalidStatus("A canceled payment intent takes no milestones."),
          CHAIN_GONE,
          INTENT_MISSING,
        ],
      }),
    })
    .get(PATH, async ({ network, call }) => listMilestones(network, call), {
      access: { permission: "read" },
      response: answer(MilestoneList),
      detail: describe({
        id: "listMilestones",
        tag: "Milestones",
        summary: "List milestones",
        description: "In the order in which they complete.",
        refusals: [NO_ESCROW, INTENT_MISSING],
      }),
    })
    .get(`${PATH}/:milestoneId`, async ({ network, call }) => retrieveMilestone(network, call), {
      access: { permission: "read" },
      response: answer(MilestoneEnvelope),
      detail: describe({
        id: "retrieveMilestone",
        tag: "Milestones",
        summary: "Retrieve a milestone",
        description: "With what the chain says of its release.",
        refusals: [NO_ESCROW, INTENT_MISSING, MILESTONE_MISSING],
      }),
    })
    .post(
      `${PATH}/:milestoneId/complete`,
      async ({ network, call, body }) => completeMilestone(network, call, body),
      {
        access: { permission: "release" },
        idempotent: true,
        audit: "milestone.complete",
        body: CompleteMilestoneBody,
        response: answer(CompletedEnvelope),
        detail: describe({
          id: "completeMilestone",
          tag: "Milestones",
          summary: "Complete a milestone",
          description: "In index order. Where the payment releases by itself, its part is released.",
          example: {
            completedBy: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
            completionProof: "Approved by the customer",
            completionProofURI: "https://example.com/approvals/1",
          },
          refusals: [
            NO_ESCROW,
            invalidRequest("Milestones complete in order: milestone 0 is not completed.", "milestoneId"),
            invalidStatus("The escrow order is not funded yet: complete milestones when it is."),
            CHAIN_GONE,
            INTENT_MISSING,
            MILESTONE_MISSING,
          ],
        }),
      },
    );
