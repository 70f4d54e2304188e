// Distinguishes an unavailable database, or missing indexer tables, from a bug.
import { DrizzleQueryError } from "drizzle-orm/errors";

/** PostgreSQL error classes and codes: connection, shutdown, startup, too many clients, read only. */
const UNAVAILABLE = /^(08...|57P0[1-5]|53300|25006)$/;
const UNAVAILABLE_SYSTEM = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
const UNAVAILABLE_TEXT =
  /connection terminated|timeout exceeded when trying to connect|connection timeout|query read timeout|client has encountered/i;

/** `undefined_table`, `invalid_schema_name`: the indexer's views do not exist (yet). */
const MISSING = new Set(["42P01", "3F000"]);

/** `undefined_column`: during an upgrade, the views are those of the indexer's earlier version. */
const COLUMN_MISSING = "42703";

/**
 * `deadlock_detected`, `lock_not_available`. Usually, a recovering indexer rebuilt its views during our statement, which
 * was rolled back.
 */
const CANCELED_BY_LOCKS = new Set<unknown>(["40P01", "55P03"]);

type Cause = Error & { code?: unknown };

function* allCausesOf(error: unknown) {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause as Cause;
}

/** Skips drizzle's own error, because its message contains the query's parameters, which may be any text. */
const causesOf = (error: unknown) =>
  allCausesOf(error).filter((cause) => !(cause instanceof DrizzleQueryError));

/** Whether a column is missing in a view of the indexer. @param message such as `column order.paid does not exist` */
function isIndexerColumn(error: unknown, message: string): boolean {
  const [, qualifier] = /column "?(\w+)"?\."?\w+"? does not exist/.exec(message) ?? [];
  const views = allCausesOf(error).flatMap((cause) =>
    cause instanceof DrizzleQueryError
      ? cause.query.matchAll(/"chain"\."(\w+)"(?:(?: as)? "?(\w+)"?)?/g)
      : [],
  );
  return (
    qualifier !== undefined && views.some(([, name, alias]) => qualifier === name || qualifier === alias)
  );
}

export function isDatabaseUnavailable(error: unknown): boolean {
  for (const { code, message } of causesOf(error)) {
    if (typeof code === "string" && (UNAVAILABLE.test(code) || UNAVAILABLE_SYSTEM.has(code))) return true;
    if (UNAVAILABLE_TEXT.test(message)) return true;
  }
  return false;
}

/** Whether a statement was rolled back because of another session's locks. */
export function isLockFailure(error: unknown): boolean {
  for (const { code } of causesOf(error)) if (CANCELED_BY_LOCKS.has(code)) return true;
  return false;
}

export function isIndexerMissing(error: unknown): boolean {
  if (isLockFailure(error)) return true;
  for (const { code, message } of causesOf(error)) {
    if (typeof code === "string" && MISSING.has(code) && message.includes("chain")) return true;
    if (code === COLUMN_MISSING && isIndexerColumn(error, message)) return true;
  }
  return false;
}
