// The types of each operation's query, body and answer, from the OpenAPI document.
import type { components, operations } from "./schema.ts";

/** Every schema of the API by its name. */
export type Schemas = components["schemas"];
/** An operation of the API; what begins with `receive_` is a webhook. */
export type OperationId = Exclude<keyof operations, `receive_${string}`>;

/** `expand[]` is written `expand`. */
type WithoutBrackets<T> = { [Name in keyof T as Name extends `${infer Plain}[]` ? Plain : Name]: T[Name] };

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
