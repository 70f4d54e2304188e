// The errors that a user of the command line is meant to read: no stack, and what to do next.

import { BaseError } from "viem";

/** Something that the user can do something about. The message says what. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The system's code of an error ("ENOENT", "SQLITE_BUSY"), if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What to print: the message alone for a UserError, everything for a surprise. */
export function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  // viem's full message repeats the request, a contract's bytecode included.
  if (error instanceof BaseError) return [error.shortMessage, ...stackOf(error)].join("\n");
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function stackOf(error: Error): string[] {
  return (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
}
