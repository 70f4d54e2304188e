// What the OpenAPI document says of a route besides its schemas.
import type { TObject, TSchema } from "@sinclair/typebox";
import type { ServiceError } from "#core/errors.ts";

export type Described = {
  /** Its name in the document, and in clients made from it. */
  id: string;
  tag: string;
  summary: string;
  /** What a caller must know besides. */
  description?: string;
  /** Names of query parameters; what each may be is checked where it is read. */
  query?: TObject;
  /** Whether an empty body is taken as well. */
  bodyOptional?: boolean;
  /** A body that works. */
  example?: object;
  /** Refusals of its own, one of each kind: what every operation refuses is known. */
  refusals?: ServiceError[];
  /** Media types that are answered besides JSON to callers that ask for them. */
  alsoAnswers?: string[];
};

/** The route's `detail`, as the router's OpenAPI plugin takes it. */
export const describe = ({ id, tag, summary, description, ...more }: Described) => ({
  operationId: id,
  tags: [tag],
  summary,
  ...(description === undefined ? {} : { description }),
  "x-described": more,
});

/**
 * A route's answer: documented, and not checked at run time. The tests hold every answer against the document, and a row that
 * an earlier version wrote must not become an error.
 */
export const answer = <T extends TSchema>(schema: T): T => ({ ...schema, noValidate: true });
