// JSON logs. Error messages are reduced to what is safe to log: an RPC URL may contain a key, a request may contain a
// signed transaction, and query parameters may contain a bank account.
import { AsyncLocalStorage } from "node:async_hooks";
import { DrizzleQueryError } from "drizzle-orm/errors";
import pino, { type Logger } from "pino";
import { BaseError } from "viem";

export type { Logger };

/** The fields of every log line of a request. */
export const inRequest = new AsyncLocalStorage<{ requestId: string }>();

export const createLog = (role: string, level: string): Logger =>
  pino({ level, base: { role }, mixin: () => ({ ...inRequest.getStore() }) });

/** Describes an error in one line, without service URLs and without the data that was sent to them. */
export function describe(error: unknown): string {
  // Drizzle's own message contains the query and its parameters.
  if (error instanceof DrizzleQueryError && error.cause) return describe(error.cause);
  if (!(error instanceof Error)) return "a value that is not an Error was thrown";
  const said = error instanceof BaseError ? `${error.shortMessage} ${error.details}` : error.message;
  const own = `${error.name}: ${said.split("\n", 1)[0]}`.replace(/\b[a-z+]+:\/\/\S+/gi, "<address>");
  const { cause } = error;
  return cause instanceof Error && !own.includes(cause.message) ? `${own} (${describe(cause)})` : own;
}

/** Returns the stack locations of an error, without its message. */
export const listLocations = (error: unknown): string[] =>
  error instanceof Error
    ? (error.stack ?? "").split("\n").flatMap((line) => /^\s+at (.*)$/.exec(line)?.[1] ?? [])
    : [];
