// Declares the path parameters, query and responses of routes. Elysia validates requests with these schemas, and
// the OpenAPI plugin reads them.
import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { ServiceError } from "#core/errors.ts";
import { nested } from "./query.ts";

const INTENT_EXAMPLE = `intent_${"7c".repeat(32)}`;
const idExample = (prefix: string) => `${prefix}_01990a5e3c7e7000a1b2c3d4e5f60718`;

/** PostgreSQL cannot store U+0000, and no name contains it. */
const PLAIN_TEXT = "^[^\\u0000]*$";

const inPath = (of: string, example: string) =>
  Type.String({ description: `The ${of}'s id.`, examples: [example], pattern: PLAIN_TEXT });

const PATH = {
  intentId: inPath("payment intent", INTENT_EXAMPLE),
  milestoneId: inPath("milestone", idExample("milestone")),
  eventId: inPath("event", idExample("evt")),
  payoutId: inPath("settlement", idExample("payout")),
  keyId: inPath("API key", idExample("key")),
  endpointId: inPath("webhook endpoint", idExample("we")),
  deliveryId: inPath("delivery", idExample("delivery")),
};

export type PathParameter = keyof typeof PATH;

export const pathParams = <Name extends PathParameter>(...names: Name[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, PATH[name]])) as Pick<typeof PATH, Name>);

/** A text query parameter. */
export const queryText = (description: string, more: object = {}) =>
  Type.Optional(
    Type.String({ description, pattern: PLAIN_TEXT, errorMessage: "a text without U+0000", ...more }),
  );

/** A query with nested parameters: `created[gte]`, `metadata[key]`, `expand[]`. */
export const queried = <Query extends TObject>(query: Query) => ({
  query,
  transform: (context: { request: Request; query: unknown }) => {
    context.query = nested(new URL(context.request.url).searchParams);
  },
});

/**
 * Declares a route's response. It is documented but not validated at run time, because the tests validate every
 * response against the document.
 * @param refusals the route's own errors, one of each kind, in addition to those that every operation has
 * @param alsoAs additional media types for callers that request them
 */
export const answers = <Answer extends TSchema>(
  answer: Answer,
  refusals: readonly ServiceError[] = [],
  alsoAs: readonly string[] = [],
): Answer => ({ ...answer, noValidate: true, refusals, alsoAs });
