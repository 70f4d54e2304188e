// Schemas of the requests and responses of milestones (spec, "Milestone", operations 9 and 10).
import { Type } from "@sinclair/typebox";
import {
  amountField,
  ConditionalPaymentId,
  IsoTime,
  idField,
  objectField,
  PaymentIntentId,
} from "../http/fields.ts";
import { listOf } from "../lists/schemas.ts";
import { AddressText, EXAMPLE_ADDRESS, nullable, oneOf } from "../payment-intents/schemas.ts";

/** Far more than any real plan needs. */
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
  {
    title: "CreateMilestone",
    additionalProperties: false,
    examples: [{ milestoneIndex: 0, description: "Design", amount: "40.00", percentage: 40 }],
  },
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
  {
    title: "CompleteMilestone",
    additionalProperties: false,
    examples: [
      {
        completedBy: EXAMPLE_ADDRESS,
        completionProof: "Approved by the customer",
        completionProofURI: "https://example.com/approvals/1",
      },
    ],
  },
);

export const MilestoneData = Type.Object(
  {
    id: idField("milestone"),
    conditionalPaymentId: ConditionalPaymentId,
    paymentIntentId: PaymentIntentId,
    milestoneIndex: Type.Integer({
      description: "The milestone's index, starting at 0. Milestones complete in index order.",
    }),
    description: nullable(Type.String(), "What the amount is for."),
    amount: amountField("The amount that it releases", "40.00"),
    percentage: nullable(Type.Number(), "The percentage as sent by the merchant; informational only."),
    status: oneOf(["PENDING", "COMPLETED", "RELEASED"] as const, undefined, "The milestone's status."),
    createdAt: IsoTime("When it was created"),
  },
  { title: "MilestoneData", description: "The milestone's fields." },
);

export const MilestoneEnvelope = Type.Object(
  {
    id: idField("milestone"),
    object: objectField("milestone"),
    data: MilestoneData,
  },
  { title: "Milestone" },
);

export const MilestoneList = listOf(MilestoneEnvelope, "MilestoneList");

export const CompletedEnvelope = Type.Object(
  {
    object: objectField("milestone"),
    status: Type.Literal("completed", { description: "The action that was performed." }),
  },
  { title: "MilestoneCompleted" },
);
