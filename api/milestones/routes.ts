// The milestones' operations (spec, operations 9 and 10; design, section 4).
import { invalidRequest, invalidRequestError, invalidStatus, resourceMissing } from "#core/errors.ts";
import { get, type Operation, post } from "../http/operation.ts";
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
const of = { tag: "Milestones", answer: MilestoneEnvelope };
const MILESTONE_MISSING = resourceMissing("There is no such milestone.", "milestoneId");

export const milestoneOperations: Operation[] = [
  post(PATH, createMilestone, {
    ...of,
    id: "createMilestone",
    summary: "Create a milestone",
    description:
      "Each milestone is paid out by itself: its amount, and what it leaves of the order, are amounts that the settlement " +
      "method carries.",
    body: CreateMilestoneBody,
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
  get(PATH, listMilestones, {
    ...of,
    id: "listMilestones",
    summary: "List milestones",
    answer: MilestoneList,
    refusals: [NO_ESCROW, INTENT_MISSING],
  }),
  get(`${PATH}/:milestoneId`, retrieveMilestone, {
    ...of,
    id: "retrieveMilestone",
    summary: "Retrieve a milestone",
    refusals: [NO_ESCROW, INTENT_MISSING, MILESTONE_MISSING],
  }),
  post(`${PATH}/:milestoneId/complete`, completeMilestone, {
    ...of,
    id: "completeMilestone",
    summary: "Complete a milestone",
    description: "In index order. Where the payment releases by itself, its part is released.",
    needs: "release",
    body: CompleteMilestoneBody,
    example: {
      completedBy: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      completionProof: "Approved by the customer",
      completionProofURI: "https://example.com/approvals/1",
    },
    answer: CompletedEnvelope,
    refusals: [
      NO_ESCROW,
      invalidRequest("Milestones complete in order: milestone 0 is not completed.", "milestoneId"),
      invalidStatus("The escrow order is not funded yet: complete milestones when it is."),
      CHAIN_GONE,
      INTENT_MISSING,
      MILESTONE_MISSING,
    ],
  }),
];
