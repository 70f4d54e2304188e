// Shapes of the milestones' requests and answers (spec, "Milestone", operations 9 and 10).
import { Type } from "@sinclair/typebox";
import { listOf } from "../http/list-schemas.ts";
import { AddressText, nullable, oneOf } from "../payment-intents/schemas.ts";

/** Nobody plans a thousand. */
const MAX_INDEX = 999;

export const CreateMilestoneBody = Type.Object(
  {
    milestoneIndex: Type.Integer({
      minimum: 0,
      maximum: MAX_INDEX,
      errorMessage: `a whole number from 0 to ${MAX_INDEX}`,
    }),
    description: Type.Optional(
      Type.String({ maxLength: 1000, errorMessage: "a text of at most 1000 characters" }),
    ),
    amount: Type.String({ errorMessage: 'a positive decimal string such as "40.00"', examples: ["40.00"] }),
    percentage: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, errorMessage: "a number from 0 to 100" }),
    ),
  },
  { title: "CreateMilestone", additionalProperties: false },
);

export const CompleteMilestoneBody = Type.Object(
  {
    completedBy: AddressText,
    completionProof: Type.Optional(
      Type.String({ maxLength: 2048, errorMessage: "a text of at most 2048 characters" }),
    ),
    completionProofURI: Type.Optional(
      Type.String({ maxLength: 2048, errorMessage: "a URI of at most 2048 characters" }),
    ),
  },
  { title: "CompleteMilestone", additionalProperties: false },
);

export const MilestoneData = Type.Object(
  {
    id: Type.String(),
    conditionalPaymentId: Type.String(),
    paymentIntentId: Type.String(),
    milestoneIndex: Type.Integer(),
    description: nullable(Type.String()),
    amount: Type.String(),
    percentage: nullable(Type.Number()),
    status: oneOf(["PENDING", "COMPLETED", "RELEASED"] as const),
    createdAt: Type.String({ format: "date-time" }),
  },
  { title: "MilestoneData" },
);

export const MilestoneEnvelope = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("milestone"),
    data: MilestoneData,
  },
  { title: "Milestone" },
);

export const MilestoneList = listOf(MilestoneEnvelope, "MilestoneList");

export const CompletedEnvelope = Type.Object(
  {
    object: Type.Literal("milestone"),
    status: Type.Literal("completed"),
  },
  { title: "MilestoneCompleted" },
);
