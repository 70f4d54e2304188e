// Passes a list of any length as one parameter, so that the statement's text is always the same.
import { type SQL, sql } from "drizzle-orm";

/** Returns the right-hand side of an `in` condition. */
export const oneOf = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
