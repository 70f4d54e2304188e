// The types of each operation's query, body and response, from the OpenAPI document.
import type { components, operations } from "./schema.ts";

/** Every schema of the API by name. */
export type Schemas = components["schemas"];
/** The id of an API operation. Webhooks, whose ids start with `receive_`, are excluded. */
export type OperationId = Exclude<keyof operations, `receive_${string}`>;

/** Renames `expand[]` to `expand` and allows undefined for optional parameters. */
type WithoutBrackets<T> = {
  [Name in keyof T as Name extends `${infer Plain}[]` ? Plain : Name]: T[Name] | undefined;
};

export type Query<Id extends OperationId> = WithoutBrackets<
  NonNullable<operations[Id]["parameters"]["query"]>
>;

export type Body<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Sent } };
}
  ? Sent
  : never;

export type Answer<Id extends OperationId> = operations[Id]["responses"] extends {
  200: { content: { "application/json": infer Answered } };
}
  ? Answered
  : never;
