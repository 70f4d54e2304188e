// A list of any length as one parameter, so that a statement has one text.
import { type SQL, sql } from "drizzle-orm";

/** For `in`. */
export const oneOf = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
