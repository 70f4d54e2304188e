// The row of a statement that always returns one.
import { internalError } from "../errors.ts";

/** Returns the first row that a statement returned. @throws ServiceError 500 if there is none */
export function returned<Row>([row]: readonly (Row | undefined)[]): Row {
  if (!row) throw internalError(new Error("A statement returned no row."));
  return row;
}
