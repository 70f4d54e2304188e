// Errors for users of the command line. They are printed without a stack trace, and their message says what to do next.

/** An error that the user can fix. The message says how. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** Invalid arguments. A command exits with 2 for this error, and with 1 for any other failure. */
export class UsageError extends UserError {}

/** Returns the system's code of an error, such as "ENOENT" or "SQLITE_BUSY", if there is one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns the text to print: only the message of a UserError, but all details of an unexpected error. */
export function describe(error: unknown): string {
  if (error instanceof UserError) return error.message;
  if (!(error instanceof Error)) return String(error);
  // viem's full message repeats the request, including a contract's bytecode. This check avoids importing viem, which
  // takes longer to load than a rejected command takes to exit.
  if ("shortMessage" in error) return [error.shortMessage, ...readStackLines(error)].join("\n");
  // A platform timeout has no stack.
  return error.stack || `${error.name}: ${error.message}`;
}

function readStackLines(error: Error): string[] {
  return (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
}
