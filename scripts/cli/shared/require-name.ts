import { isNobody } from "#core/controls/same-person.ts";
import { UsageError } from "../../shared/errors.ts";

/** @returns the name, for the audit log. @throws UsageError unless it names a person */
export function requireName(by: string): string {
  if (isNobody(by)) throw new UsageError("--by must name the person, not a type of actors.");
  return by;
}
