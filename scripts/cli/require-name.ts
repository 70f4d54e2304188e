import { isNobody } from "#core/controls/same-person.ts";
import { UsageError } from "../shared/errors.ts";

/** @returns the name. @throws UsageError for one that nobody can read: it is for the audit log */
export function requireName(by: string): string {
  if (isNobody(by)) throw new UsageError("--by names the person.");
  return by;
}
