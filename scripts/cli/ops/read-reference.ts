// Reads the evidence that a person gives for what happened outside the gateway.
import { UsageError } from "../../shared/errors.ts";
import type { Asked } from "./approve.ts";

/**
 * @param what what the reference must be
 * @throws UsageError if it is missing, too long or not printable
 */
export function readReference({ arguments: { reference = "" } }: Asked, what: string): string {
  const read = reference.trim();
  if (!/^[\x20-\x7e]{1,140}$/.test(read)) {
    throw new UsageError(`--reference must be ${what}, in 1 to 140 plain characters.`);
  }
  return read;
}
