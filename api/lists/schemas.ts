// Schemas shared by all lists: the page and its query.
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import { queryText } from "../http/declare.ts";
import { objectField } from "../http/fields.ts";

export const listOf = <T extends TSchema>(item: T, title: string) =>
  Type.Object(
    {
      object: objectField("list"),
      data: Type.Array(item, { description: "The objects of this page." }),
      has_more: Type.Boolean({ description: "Whether more objects follow in this direction." }),
      url: Type.String({ description: "The path of the list endpoint." }),
    },
    { title },
  );

export const Limit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    description: "The number of objects to return, newest first",
    errorMessage: "a whole number from 1 to 100",
  }),
);

/** The query of a list. Other parameters are rejected. */
export const listQuery = <Filters extends TProperties>(filters: Filters) =>
  Type.Object({ limit: Limit, ...CURSORS, ...filters }, { additionalProperties: false });

/** The page starts after the given row, or ends before it. */
export const CURSORS = {
  starting_after: queryText(
    "The id of the last object of the current page; returns the older objects that follow it",
  ),
  ending_before: queryText(
    "The id of the first object of the current page; returns the newer objects just before it. `has_more` says whether " +
      "there are still newer ones. Cannot be combined with starting_after",
  ),
};

/** Filters a list by payment intent. */
export const OfPaymentIntent = queryText("Only objects of the payment intent with this id");

const bound = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: 99_999_999_999, description, errorMessage: "Unix seconds" }),
  );

export const CreatedRange = Type.Optional(
  Type.Object(
    { gte: bound("At or after this time."), lte: bound("At or before this time.") },
    {
      additionalProperties: false,
      description: "A range of creation times, in Unix seconds: `created[gte]`, `created[lte]`",
    },
  ),
);

export const MetadataFilter = Type.Optional(
  Type.Record(
    Type.String(),
    Type.String({ pattern: "^[^\\u0000]*$", errorMessage: "a text without U+0000" }),
    {
      description: "Only objects with this metadata: `metadata[key]=value`",
    },
  ),
);
