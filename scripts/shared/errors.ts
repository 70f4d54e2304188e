// The errors that a user of the command line is meant to read: no stack, and what to do next.

/** Something that the user can do something about. The message says what. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** What was typed is not known or not possible: a command ends with 2 for it, and with 1 for any other failure. */
export class UsageError extends UserError {}

/** The system's code of an error ("ENOENT", "SQLITE_BUSY"), if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What to print: the message alone for a UserError, everything for a surprise. */
export function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return String(error);
  // viem's full message repeats the request, a contract's bytecode included. Without an import of viem, which takes longer to
  // load than a command that is refused takes to end.
  if ("shortMessage" in error) return [error.shortMessage, ...stackOf(error)].join("\n");
  // A timeout of the platform has no stack.
  return error.stack || `${error.name}: ${error.message}`;
}

function stackOf(error: Error): string[] {
  return (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
}
